package slices

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/parley-platform/parley/adapters/codetool"
	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/driving"
	"github.com/parley-platform/parley/handlers/acts/stores"
	models "github.com/parley-platform/parley/projections/runtime"
)

// seenByCode are the names that programs see.
var seenByCode = []string{"args", "input", "call", "message_metadata"}

// run runs the code of a tool.
func (c toolCaller) run(ctx context.Context, of driving.Asking) sessions.CallEnded {
	names := map[string]any{}
	for _, name := range seenByCode {
		if v, ok := of.Scope[name]; ok {
			names[name] = v
		}
	}
	call := codetool.Call{Owner: of.Tenant, Source: of.Tool.Source, MemoryMB: of.Tool.MemoryMB, Timeout: of.Tool.Timeout,
		Names: names, Repeatable: of.Repeat, Retry: of.Tool.Retry, Backoff: of.Tool.Backoff}
	if of.Bridge != nil {
		call.Memory = c.memoryOf(of)
	}
	return c.results.or(of, []any{of.Tool.Source, of.Scope["args"], of.Scope["message_metadata"]}, func() sessions.CallEnded {
		return ended(c.code.Run(ctx, call))
	})
}

func (n Needs) stores(programs *acts.Programs) stores.Stores {
	return stores.Stores{Log: n.acting(), Counter: models.NewMemories(n.Read), Programs: programs}
}

// memoryFor is how long a program waits for one thing that it does to its memory.
const memoryFor = 5 * time.Second

// memoryOf is the memory of a program, by the rules of the operation for code that runs elsewhere.
// Each thing is done once, however often the store has to be asked.
func (c toolCaller) memoryOf(of driving.Asking) codetool.Memory {
	by := of.By.Further()
	by.Actor = access.Principal{Kind: access.SandboxCredential, Subject: of.Bridge.Call, SessionID: of.Bridge.Session}.Actor()
	return func(ctx context.Context, u codetool.Use) (used codetool.Used, err error) {
		if c.memory == nil {
			return used, fault.New(fault.Unavailable, "the code of agents is not let to its memory on this server")
		}
		ctx, cancel := context.WithTimeout(ctx, memoryFor)
		defer cancel()
		by := by
		by.RequestID = uuid.NewString()
		err = acts.Persist(ctx, func() error {
			session, err := c.memory.Session(ctx, *of.Bridge)
			if err != nil {
				return err
			}
			did, err := c.memory.Use(ctx, by, *of.Bridge, session,
				stores.Use{Action: u.Action, Store: u.Store, Content: u.Content, Version: u.Version})
			used = codetool.Used{Content: did.Content, Version: did.Version}
			return err
		})
		return used, asSeenByCode(ctx, u, err)
	}
}

// inRequest is where the operation has what programs give as arguments.
const inRequest = "payload."

// asSeenByCode says what was refused in the words of the program, which has no request.
func asSeenByCode(ctx context.Context, u codetool.Use, err error) error {
	refused := (*fault.Error)(nil)
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &refused) || refused.Code == fault.Internal:
		acts.Logger(ctx).Warn("the memory of code cannot be used", "action", u.Action, "error", err)
		return fault.New(fault.Unavailable, "the memory cannot be used now")
	}
	told := *refused
	told.Message, told.Details = strings.ReplaceAll(told.Message, inRequest, ""), slices.Clone(told.Details)
	for i := range told.Details {
		told.Details[i].Field = strings.TrimPrefix(told.Details[i].Field, inRequest)
	}
	return &told
}
