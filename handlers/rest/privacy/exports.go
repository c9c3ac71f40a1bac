package privacy

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"mime"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humamux"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/catalog"
	"github.com/parley-platform/parley/domain/disclosures"
	"github.com/parley-platform/parley/domain/erasures"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/privacy"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/rest"
	models "github.com/parley-platform/parley/projections/privacy"
)

// ExportsAPI is what the operation that hands out what is known of a person needs.
type ExportsAPI struct {
	rest.Commands
	Persons persons
	Index   eventstore.Newer
	Made    disclosed
	Blobs   blobs
	Most    Most
	Settled func(ctx context.Context) error // waits until queries find all that was accepted before
	Log     *slog.Logger
}

// Most is what one answer holds; what comes behind it is asked for by the next.
type Most struct {
	Streams int   // 0: 10,000
	Bytes   int64 // of the ZIP, after which no other stream is begun; 0: 2 GiB, which every program that unpacks can read
}

func (m Most) orDefault() Most {
	return Most{cmp.Or(m.Streams, 10_000), cmp.Or(m.Bytes, 2<<30)}
}

// persons knows where a person stands.
type persons interface {
	Part(ctx context.Context, tenant string, identities []privacy.Identity, after string, most int) (models.Part, error)
}

// disclosed knows when something was handed out.
type disclosed interface {
	List(ctx context.Context, tenant string, limit, offset int) ([]models.Disclosure, int, error)
}

// blobs is where recordings are.
type blobs interface {
	Open(ctx context.Context, name string) (io.ReadSeekCloser, error) // fault.NotFound: it is gone
}

const exportsPath = "/api/v1/privacy/exports"

// DeclareExports adds the operations on exports of what is known of a person (extensions).
func DeclareExports(api *rest.API, x ExportsAPI) {
	rest.Declare(api, rest.Operation{
		ID: "export-person", Method: http.MethodPost, Path: exportsPath, Extension: true, Tags: []string{"Privacy"},
		Summary: "Hand out what is known of a person",
		Description: "Takes what the person is known by, and answers with a ZIP: about.json says what was asked for and in how many streams " +
			"the person is; a JSON file for each of them has its events, with what is personal in them opened (what is of " +
			"colleagues, and of others on a list, stays sealed); recordings, files, and kept answers of models are beside them. " +
			"That it was handed out, when, and by whom is an event of the category disclosures; of whom is not. An answer that " +
			"breaks off is cut: what has no end is no whole ZIP. One answer holds 10,000 streams, and begins no other after 2 GiB. " +
			"Somebody who is in more streams is refused with PAYLOAD_TOO_LARGE, and is handed out in parts: ask with \"after\" " +
			"empty, and then with what more.json, the last file of a part, names. A ZIP without more.json is the whole, or the last " +
			"part of it.",
		Requirement: access.Needs(access.PermPrivacyExport), Refusals: []fault.Code{fault.Conflict, fault.Unavailable},
	}, x.export)
	rest.Declare(api, rest.Operation{
		ID: "list-person-exports", Method: http.MethodGet, Path: exportsPath, Extension: true, Tags: []string{"Privacy"},
		Summary:     "When what is known of persons was handed out, and to whom, newest first",
		Description: "One entry each time that export-person began to answer; of whom it was is not kept.",
		Requirement: access.Needs(access.PermPrivacyExport),
	}, x.list)
	answer := api.Description().Paths[exportsPath].Post.Responses["200"]
	answer.Description = "The ZIP"
	whole := &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}
	answer.Content = map[string]*huma.MediaType{zipType: whole, rest.AnyBytes: whole}
}

const zipType = "application/zip"

type exportPersonIn struct {
	Body struct {
		Identities []identity `json:"identities" required:"true" minItems:"1" maxItems:"20" doc:"What the person is known by: whatever stands for one of them is handed out."`
		After      *string    `json:"after,omitempty" maxLength:"512" doc:"Hand out a part: the streams whose names come behind this one. Empty: the first part."`
	}
}

func (x ExportsAPI) export(ctx context.Context, in *exportPersonIn) (*huma.StreamResponse, error) {
	identities, err := privacy.Named(identitiesOf(in.Body.Identities))
	if err != nil {
		return nil, err
	}
	if err := x.Settled(ctx); err != nil {
		return nil, fault.New(fault.Unavailable, "the read models are behind; ask again").Because(err)
	}
	tenant, most, after := rest.PrincipalOf(ctx).TenantID, x.Most.orDefault(), ""
	if in.Body.After != nil {
		after = *in.Body.After
	}
	part, err := x.Persons.Part(ctx, tenant, identities, after, most.Streams)
	if err != nil {
		return nil, err
	}
	if part.More && in.Body.After == nil {
		return nil, fault.New(fault.TooLarge, "the person is in %d streams, and one answer holds %d: ask for parts, with \"after\":\"\" for the "+
			"first, and then with what more.json at the end of each ZIP names, until there is none", sum(part.Of), most.Streams)
	}
	made, err := x.remember(ctx, tenant, counted(part.Places))
	if err != nil {
		return nil, err
	}
	a := archive{ExportsAPI: x, about: about{DisclosureID: made.DisclosureID, At: rest.ISOTime(&made.At), Identities: identities,
		Streams: part.Of, After: after}, tenant: tenant, most: most.Bytes}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		r, w := humamux.Unwrap(hc)
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		defer rest.LongAnswerOf(r.Context()).EndsWithNode(cancel)()
		h := w.Header()
		h.Set("Content-Type", rest.MediaFor(r.Header.Values("Accept"), zipType))
		h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": made.DisclosureID + ".zip"}))
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "private, no-store")
		if err := a.write(ctx, w, part); err != nil {
			x.Log.WarnContext(ctx, "handing out what is known of a person broke off", "disclosure", made.DisclosureID, "error", err)
			panic(http.ErrAbortHandler) // so that nobody takes it for the whole
		}
	}}, nil
}

type personExport struct {
	DisclosureID string         `json:"disclosureId" example:"dc-0196b6f2-5d0c-7c4e-9a55-2f6d3c1b8e70"`
	By           string         `json:"by" doc:"Who asked, as actor of events."`
	Streams      map[string]int `json:"streams" doc:"In how many streams the person was, by category."`
	At           string         `json:"at" format:"date-time"`
}

type listPersonExportsIn struct{ rest.Page }

type listPersonExportsOut struct {
	Body struct {
		Success    bool            `json:"success"`
		Exports    []personExport  `json:"exports"`
		Pagination rest.Pagination `json:"pagination"`
	}
}

func (x ExportsAPI) list(ctx context.Context, in *listPersonExportsIn) (*listPersonExportsOut, error) {
	found, total, err := x.Made.List(ctx, rest.PrincipalOf(ctx).TenantID, in.Limit, in.Offset)
	if err != nil {
		return nil, err
	}
	out := &listPersonExportsOut{}
	out.Body.Success, out.Body.Pagination = true, in.Of(total)
	out.Body.Exports = rest.Shown(found, func(d models.Disclosure) personExport {
		return personExport{DisclosureID: d.ID, By: d.Actor, Streams: d.Streams, At: rest.ISOTime(&d.MadeAt)}
	})
	return out, nil
}

// remember says on the log that it is handed out, before anything is.
func (x ExportsAPI) remember(ctx context.Context, tenant string, streams map[string]int) (disclosures.Made, error) {
	cmd := disclosures.Make{DisclosureID: disclosures.IDPrefix + x.NewID(ctx, "disclosure").String(), TenantID: tenant,
		Streams: streams, At: x.Now()}
	res, err := rest.Create(ctx, x.Commands, disclosures.Disclosures, disclosures.Disclosures.Stream(cmd.DisclosureID), cmd.Decide)
	if err != nil {
		return disclosures.Made{}, err
	}
	return rest.Payload[disclosures.Made](res)
}

func sum(of map[string]int) (all int) {
	for _, n := range of {
		all += n
	}
	return all
}

// counted is how many places are of each category.
func counted(places []erasures.Place) map[string]int {
	n := map[string]int{}
	for _, p := range places {
		if c := catalog.OfStream(p.Stream); c != nil {
			n[c.Name]++
		}
	}
	return n
}
