package node

import (
	"context"
	"time"
)

// mailDrain is how long mails that are on their way in may take at the end.
const mailDrain = 5 * time.Second

// takeMail answers where mail comes in, if this node is told to and takes requests at all.
func (n *Node) takeMail(context.Context) error {
	if n.cfg.SMTPDoor == nil || !n.cfg.has(RoleAPI) {
		return nil
	}
	l := n.cfg.SMTPDoor
	for _, s := range n.slices {
		if s.Mail == nil {
			continue
		}
		door := *s.Mail
		door.TLS = n.cfg.SMTPTLS
		run, stop := context.WithCancel(context.Background())
		done := make(chan error, 1)
		go func() { done <- door.Serve(run, l, mailDrain) }()
		n.mail = l
		n.closing(func(context.Context) {
			stop()
			if err := <-done; err != nil {
				n.log.Warn("the door of mail did not stop cleanly", "error", err)
			}
		})
	}
	return nil
}

// MailAddress is where mail comes in; empty: it does not.
func (n *Node) MailAddress() string {
	if n.mail == nil {
		return ""
	}
	return n.mail.Addr().String()
}
