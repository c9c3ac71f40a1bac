package shop

import "testing"

func TestAnOrderIsFull(t *testing.T) {
	var o Order
	var err error
	for range MostItems {
		if o, err = Add(o, "book", false); err != nil {
			t.Fatal(err)
		}
	}
	if len(o.Items) != 3 {
		t.Fatal("items are missing")
	}
	if _, err := Add(o, "book", false); err == nil {
		t.Fatal("a full order took another item")
	}
}
