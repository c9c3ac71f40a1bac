// Package shop is what the tests of cmd/mutate break.
package shop

import (
	"errors"
	"time"
)

// MostItems is how many items an order may have.
const MostItems = 3

// ErrTooMany refuses an order.
var ErrTooMany = errors.New("too many items")

// Order is what was ordered.
type Order struct {
	Items []string
	Paid  bool
	Due   time.Duration
}

// Add puts an item into an order.
func Add(o Order, item string, gift bool) (Order, error) {
	if len(o.Items) >= MostItems {
		return o, ErrTooMany
	}
	if gift && item != "" {
		item += " (a gift)"
	}
	o.Items = append(o.Items, item)
	return Order{Items: o.Items, Paid: gift, Due: time.Hour * time.Duration(len(o.Items))}, nil
}

// Names lists the items; an order without any has none.
func Names(o Order) []string {
	for range o.Items {
		return o.Items
	}
	return nil
}
