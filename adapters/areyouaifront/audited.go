package areyouaifront

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"stele/areyouai"
)

// auditRule says which audit events the outcomes of a route are; an empty name: none.
type auditRule struct {
	// done is a success.
	done areyouai.AuditEvent
	// refused are refusals by their code, failed is a failure of the program.
	refused map[areyouai.Code]areyouai.AuditEvent
	failed  areyouai.AuditEvent
}

// auditRuleOf returns the rule of a route. A route without one of its own is audited for its address alone.
func auditRuleOf(template string) auditRule {
	switch template {
	case areyouai.PathRoomMessages:
		return auditRule{done: areyouai.AuditMessagePersisted, refused: map[areyouai.Code]areyouai.AuditEvent{
			areyouai.CodePolicyBlocked:   areyouai.AuditMessagePolicyBlocked,
			areyouai.CodeRateLimited:     areyouai.AuditMessageRateLimited,
			areyouai.CodeStaleBundleHash: areyouai.AuditBundleHashMismatch,
		}}
	case areyouai.PathRoomContext:
		return auditRule{done: areyouai.AuditPromptBundleGenerated, failed: areyouai.AuditRoomContextReadFailed}
	case areyouai.PathRoomContextAck:
		return auditRule{failed: areyouai.AuditRoomContextSyncFailed}
	}
	return auditRule{}
}

// audited notes the outcomes of a route that an operator may want to see.
func (f *Front) audited(template string, next echo.HandlerFunc) echo.HandlerFunc {
	rule := auditRuleOf(template)
	return func(c echo.Context) error {
		err := next(c)
		event, meta := rule.event(err)
		if event == "" {
			return err
		}
		if meta == nil {
			meta = map[string]any{}
		}
		meta["route"] = template
		f.audit.add(event, c.Param("id"), meta)
		return err
	}
}

// auditStream notes that a stream is opened now, and its end when leave is called. It keeps nothing of the request, which a
// stream may outlive.
func (f *Front) auditStream(r *request, leave func()) func() {
	room, template := r.id, wirePath(r.Path())
	f.audit.add(areyouai.AuditStreamOpened, room, map[string]any{"route": template})
	f.metrics.stream(template, 1)
	return func() {
		leave()
		f.metrics.stream(template, -1)
		f.audit.add(areyouai.AuditStreamClosed, room, map[string]any{"route": template})
	}
}

func (rule auditRule) event(err error) (event areyouai.AuditEvent, meta map[string]any) {
	if err == nil {
		return rule.done, nil
	}
	var ip *ipLimitedError
	if errors.As(err, &ip) {
		return areyouai.AuditIPRateLimited, map[string]any{"ip": ip.ip}
	}
	e := wireError(err)
	if e.HTTPStatus >= http.StatusInternalServerError {
		return rule.failed, nil
	}
	return rule.refused[e.Code], nil
}

// ipLimitedError is the refusal of what an address did too often.
type ipLimitedError struct {
	ip      string
	refusal error
}

func (e *ipLimitedError) Error() string { return "address " + e.ip + ": " + e.refusal.Error() }

func (e *ipLimitedError) Unwrap() error { return e.refusal }
