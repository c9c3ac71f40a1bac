package faults

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/parley-platform/parley/cmd/chaos/cluster"
	"github.com/parley-platform/parley/cmd/chaos/proxy"
)

// hold keeps produces back, on their way or on their way back, until their senders
// have given up and tried again.
func (x *Scene) hold(ctx context.Context, f Fault) error {
	node := x.Cluster.Nodes[f.Node]
	r := rand.New(rand.NewPCG(f.Seed, 3))
	var held []*proxy.Held
	for range 1 + r.IntN(4) {
		held = append(held, node.Kafka.HoldNext(f.Name == "hold-ack", f.For))
		wait(ctx, time.Duration(r.Int64N(int64(400*ms))))
	}
	wait(ctx, f.For+100*ms)
	node.Kafka.Release()
	for _, h := range held { // one that was taken late is let go late
		for taken, freed := h.Taken(); taken && !freed && ctx.Err() == nil; taken, freed = h.Taken() {
			wait(ctx, 20*ms)
		}
	}
	return nil
}

func (x *Scene) freeze(ctx context.Context, f Fault) error {
	node := x.Cluster.Nodes[f.Node]
	x.nodes[f.Node].Lock()
	defer x.nodes[f.Node].Unlock()
	if err := node.Pause(); err != nil {
		return err
	}
	wait(ctx, f.For)
	return node.Resume()
}

// kill kills a node at moments of no meaning, again and again, sometimes while it
// starts.
func (x *Scene) kill(ctx context.Context, f Fault) error {
	node := x.Cluster.Nodes[f.Node]
	x.nodes[f.Node].Lock()
	defer x.nodes[f.Node].Unlock()
	r := rand.New(rand.NewPCG(f.Seed, 4))
	for range 1 + r.IntN(3) {
		wait(ctx, time.Duration(r.Int64N(int64(f.For))))
		node.Kill()
		wait(ctx, time.Duration(r.Int64N(int64(2*s))))
		if err := node.Start(); err != nil {
			return err
		}
		if r.IntN(3) > 0 {
			_ = node.AwaitReady(ctx, 10*s) // it may have nobody to be ready with
		}
	}
	return nil
}

// killBetween kills a node again and again at one of the borders that a command
// crosses: its request is sent but has not arrived, has arrived but is not
// acknowledged, its transaction is on the way to Postgres or back, its reply on the
// way to the caller.
func (x *Scene) killBetween(ctx context.Context, f Fault) error {
	x.nodes[f.Node].Lock()
	defer x.nodes[f.Node].Unlock()
	node, r := x.Cluster.Nodes[f.Node], rand.New(rand.NewPCG(f.Seed, 7))
	borders := []func(context.Context, *cluster.Node, time.Duration){sentBorder, ackBorder, transactionBorder, replyBorder}
	for range 2 {
		border := r.IntN(len(borders))
		borders[border](ctx, node, f.For)
		node.Kill()
		node.ToDB.Heal()
		node.FromHere.Heal()
		node.Kafka.Release()
		x.Log("node %s was killed at the border %s", node.Name, []string{"sent", "ack", "transaction", "reply"}[border])
		wait(ctx, time.Duration(r.Int64N(int64(s))))
		if err := node.Start(); err != nil {
			return err
		}
		_ = node.AwaitReady(ctx, 15*time.Second) // it may have nobody to be ready with
	}
	return nil
}

func sentBorder(ctx context.Context, node *cluster.Node, late time.Duration) {
	taken(ctx, node.Kafka.HoldNext(false, late))
}

func ackBorder(ctx context.Context, node *cluster.Node, late time.Duration) {
	taken(ctx, node.Kafka.HoldNext(true, late))
}

// taken waits until a produce is held.
func taken(ctx context.Context, h *proxy.Held) {
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end) && ctx.Err() == nil; wait(ctx, ms) {
		if taken, _ := h.Taken(); taken {
			return
		}
	}
}

func transactionBorder(ctx context.Context, node *cluster.Node, _ time.Duration) {
	node.ToDB.Hold()
	wait(ctx, 200*ms)
}

func replyBorder(ctx context.Context, node *cluster.Node, _ time.Duration) {
	node.FromHere.Hold()
	wait(ctx, 200*ms)
}
