package core

import "context"

type actorKey struct{}

// WithActor says who acts in what is done with a context, for the record: what it changes in the directory carries the name,
// so that an auditor finds in the log who did it. It grants nothing.
func WithActor(ctx context.Context, actor string) context.Context {
	return context.WithValue(ctx, actorKey{}, actor)
}

// actorOf is who acts, empty if nobody said.
func actorOf(ctx context.Context) string {
	actor, _ := ctx.Value(actorKey{}).(string)
	return actor
}
