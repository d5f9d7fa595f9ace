package main

import (
	"fmt"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"stele/adapters/edgefront"
)

func TestEdgeFlags(t *testing.T) {
	preset := edgefront.Options{Create: edgefront.CreateAuthenticated, CreatesPerHour: 60, AttachGrace: time.Second, StrangersPerNetwork: 512}
	with := func(edit func(*edgefront.Options)) edgefront.Options {
		o := preset
		edit(&o)
		return o
	}
	for _, tc := range []struct {
		args []string
		want edgefront.Options
		// wrong is the flag that is named with what is wrong; empty: nothing is.
		wrong string
	}{
		{nil, preset, ""},
		{[]string{"--edge-create=off"}, with(func(o *edgefront.Options) { o.Create = "off" }), ""},
		{[]string{"--edge-create=anyone", "--edge-create-rate=5"}, with(func(o *edgefront.Options) { o.Create, o.CreatesPerHour = "anyone", 5 }), ""},
		{[]string{"--edge-create-rate=0"}, with(func(o *edgefront.Options) { o.CreatesPerHour = -1 }), ""},
		{[]string{"--edge-ip-streams=7"}, with(func(o *edgefront.Options) { o.StrangersPerNetwork = 7 }), ""},
		{[]string{"--edge-ip-streams=0"}, with(func(o *edgefront.Options) { o.StrangersPerNetwork = -1 }), ""},
		{[]string{"--edge-ip-streams=-1"}, preset, "--edge-ip-streams must be 0 or more"},
		{[]string{"--edge-attach-grace=250ms"}, with(func(o *edgefront.Options) { o.AttachGrace = 250 * time.Millisecond }), ""},
		{[]string{"--edge-origins=all"}, with(func(o *edgefront.Options) { o.AnyOrigin = true }), ""},
		{[]string{"--edge-origins=https://a.example,*.b.example"}, with(func(o *edgefront.Options) {
			o.Origins = []string{"https://a.example", "*.b.example"}
		}), ""},
		{[]string{"--edge-origins=https://*.example.com:8443"}, with(func(o *edgefront.Options) { o.Origins = []string{"https://*.example.com:8443"} }), ""},
		{[]string{"--edge-create="}, preset, "--edge-create must be"},
		{[]string{"--edge-create=everyone"}, preset, "--edge-create must be"},
		{[]string{"--edge-create-rate=-1"}, preset, "--edge-create-rate must be 0 or more"},
		{[]string{"--edge-attach-grace=0"}, preset, "--edge-attach-grace must be 1ms to 1m0s, but is 0s"},
		{[]string{"--edge-attach-grace=-1s"}, preset, "--edge-attach-grace must be"},
		{[]string{"--edge-attach-grace=2m"}, preset, "--edge-attach-grace must be"},
		{[]string{"--edge-origins=all,https://a.example"}, preset, `one is "all"`},
		{[]string{"--edge-origins=https://a.example/"}, preset, "--edge-origins must be"},
		{[]string{"--edge-origins=ftp://a.example"}, preset, "--edge-origins must be"},
		{[]string{"--edge-origins=a.example/x"}, preset, "--edge-origins must be"},
		{[]string{"--edge-origins=[a"}, preset, "--edge-origins must be"},
	} {
		t.Run(fmt.Sprint(tc.args), func(t *testing.T) {
			var c edgeConfig
			f := pflag.NewFlagSet("", pflag.ContinueOnError)
			c.define(f)
			require.NoError(t, f.Parse(tc.args))
			var problems []string
			c.check(f.Changed, func(flag, format string, args ...any) {
				problems = append(problems, fmt.Errorf("--"+flag+" "+format, args...).Error())
			})
			if tc.wrong != "" {
				require.Len(t, problems, 1)
				require.Contains(t, problems[0], tc.wrong)
				return
			}
			require.Empty(t, problems)
			require.Equal(t, tc.want, c.options())
		})
	}
}
