package node_test

import (
	"net/http/httptest"
	"sync"
	"testing"
)

// modelPeer is a provider of models that a test plays, by the recorded stream of another.
type modelPeer struct {
	*httptest.Server
	mu    sync.Mutex
	keys  []string
	asked []string // paths and bodies
	no    int      // the status of a refusal; 0: it answers
}

// last is the key and the body that came last, and how many requests came.
func (p *modelPeer) last() (key, asked string, count int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.keys) == 0 {
		return "", "", 0
	}
	return p.keys[len(p.keys)-1], p.asked[len(p.asked)-1], len(p.keys)
}

// posted applies manifests by the API, as the operator.
func (w *tenant) posted(t *testing.T, more fields, manifests ...fields) *answer {
	t.Helper()
	for _, m := range manifests {
		if m["kind"] != "Tenant" {
			m["metadata"].(fields)["tenant"] = w.id
		}
	}
	return w.on.do(t, "POST", "/api/v1/admin/apply", fields{"manifests": manifests}.and(more), "auth", w.operator(t))
}

func ofKind(kind, name string, spec fields) fields {
	return fields{"kind": kind, "metadata": fields{"id": name, "name": name}, "spec": spec}
}

func (w *chatWorld) models(t *testing.T, project string) (ids []string) {
	t.Helper()
	var list struct{ Data []struct{ ID string } }
	w.ask(t, "GET", modelsPath, nil, "OpenAI-Project", project).must(t, 200).into(t, &list)
	for _, m := range list.Data {
		ids = append(ids, m.ID)
	}
	return ids
}
