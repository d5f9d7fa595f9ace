package main

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"stele/core"
)

func TestPurgeFlags(t *testing.T) {
	for _, tc := range []struct {
		name string
		args []string
		want core.PurgePolicy
		// err is what is wrong; empty: nothing.
		err string
	}{
		{"nothing said", nil, core.PurgePolicy{Grace: 24 * time.Hour, Retention: 48 * time.Hour}, ""},
		{"as the protocol has it", []string{"--purge-grace", "2m", "--purge-retention", "24h"}, core.PurgePolicy{Grace: 2 * time.Minute, Retention: 24 * time.Hour}, ""},
		{"long grace", []string{"--purge-grace", "100h"}, core.PurgePolicy{Grace: 100 * time.Hour, Retention: 100 * time.Hour}, ""},
		{"never", []string{"--no-purge"}, core.PurgePolicy{Grace: 24 * time.Hour, Retention: 48 * time.Hour, Off: true}, ""},
		{"at once", []string{"--purge-grace", "0"}, core.PurgePolicy{}, "--purge-grace must be one second or more"},
		{"shorter than the grace", []string{"--purge-retention", "23h"}, core.PurgePolicy{}, "--purge-retention must be at least the 24h0m0s of --purge-grace"},
		{"never, after an hour", []string{"--no-purge", "--purge-grace", "1h"}, core.PurgePolicy{}, "--purge-grace means nothing with --no-purge"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var c purgeConfig
			f := pflag.NewFlagSet("serve", pflag.ContinueOnError)
			c.define(f)
			require.NoError(t, f.Parse(slices.Clone(tc.args)))
			err := errors.Join(c.check(f.Changed)...)
			if tc.err != "" {
				require.ErrorContains(t, err, tc.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tc.want, c.policy())
		})
	}
}
