package agentswitch

import "encoding/json"

// profile reads an integration profile. A null is as wrong as a text.
func (f *fields) profile(name string, raw json.RawMessage) (profile IntegrationProfile) {
	f.nested(name, raw, func(p *fields) {
		profile.ConnectionModel = ConnectionModel(p.requiredChoice("connection_model",
			string(ModelAlwaysOn), string(ModelSessionAddressable), string(ModelSessionPassive), string(ModelAutoSession)))
		profile.MessageExchange = p.requiredBool("message_exchange")
		profile.PreInvocationMediation = p.requiredStrings("pre_invocation_mediation")
		profile.PostInvocationMediation = p.requiredStrings("post_invocation_mediation")
		profile.EventReporting = p.requiredStrings("event_reporting")
		if raw, ok := p.required("task_protocol"); ok {
			p.nested("task_protocol", raw, func(t *fields) {
				profile.TaskProtocol = TaskProtocol{CanDelegate: t.requiredBool("can_delegate"), CanAccept: t.requiredBool("can_accept")}
			})
		}
		profile.CommandCapabilities = p.commandCapabilities("command_capabilities")
	})
	return profile
}

func (f *fields) commandCapabilities(name string) CommandCapabilities {
	out := CommandCapabilities{Reset: CapabilityUnsupported, Compact: CapabilityUnsupported, Interrupt: CapabilityUnsupported}
	raw, ok := f.values[name]
	if !ok {
		return out
	}
	f.nested(name, raw, func(c *fields) {
		out.Reset = c.capability("reset")
		out.Compact = c.capability("compact")
		out.Interrupt = c.capability("interrupt")
	})
	return out
}

func (f *fields) capability(name string) string {
	raw, ok := f.values[name]
	if !ok {
		return CapabilityUnsupported
	}
	return f.choice(name, raw, []string{CapabilityUnsupported, CapabilityAlways, CapabilitySessionDependent})
}
