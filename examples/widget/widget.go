// Package widget holds the chat widget, one file that pages load, and a page that has it. It does
// nothing.
package widget

import _ "embed"

var (
	// Script is what a node serves as /widget.js.
	//
	//go:embed widget.js
	Script []byte

	// Page is a page of the example company with the widget in it, which a node with --dev serves
	// as /widget/.
	//
	//go:embed index.html
	Page []byte
)
