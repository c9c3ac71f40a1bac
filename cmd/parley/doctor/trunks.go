package doctor

import (
	"context"

	models "github.com/parley-platform/parley/projections/voice"
)

// trunks looks at what nodes last saw of the peers of SIP trunks.
func trunks(ctx context.Context, x *examination) error {
	all, err := models.NewSetups(x.db.Queries).SIPTrunks(ctx)
	if err != nil {
		return err
	}
	well := 0
	for _, t := range all {
		switch {
		case t.Unreachable != "":
			x.find(warning, "trunks", "calls over it fail at once until it answers again: ask who runs it, and see spec.fallbacks",
				"trunk %s of %s does not answer: %s", t.Name, t.TenantID, t.Unreachable)
		case t.Settings.Register && t.NotRegistered != "":
			x.find(warning, "trunks", "no call comes in over it: look at spec.username and spec.password",
				"trunk %s of %s does not register us: %s", t.Name, t.TenantID, t.NotRegistered)
		case t.Settings.Register && t.RegisteredBy == "":
			x.find(warning, "trunks", "start a node with the role media and --sip-listen", "nobody has registered with trunk %s of %s yet",
				t.Name, t.TenantID)
		default:
			well++
		}
	}
	if well == len(all) && well > 0 {
		x.find(fine, "trunks", "", "nothing bad is known of %d", well)
	}
	return carriers(ctx, x, len(all))
}

// carriers looks at the nodes that carry calls over trunks, where there are trunks.
func carriers(ctx context.Context, x *examination, trunks int) error {
	live, err := models.NewMediaNodes(x.db.Queries).Live(ctx)
	if err != nil || trunks == 0 {
		return err
	}
	if len(live) == 0 {
		x.find(warning, "media", "start a node with the role media and --sip-listen", "no call goes over the trunks: nobody carries calls")
	}
	for _, n := range live {
		switch {
		case n.Calls >= n.Most:
			x.find(warning, "media", "start another node with the role media, or see --media-calls-per-core",
				"%s has all the %d calls that it takes", n.Node, n.Most)
		case n.NotRealTime != "":
			x.find(fine, "media", "allow it CAP_SYS_NICE, or LimitRTPRIO=5: on a busy machine sound may be late without",
				"%s has %d of %d calls, on threads like others (%s)", n.Node, n.Calls, n.Most, n.NotRealTime)
		default:
			x.find(fine, "media", "", "%s has %d of %d calls", n.Node, n.Calls, n.Most)
		}
	}
	return nil
}
