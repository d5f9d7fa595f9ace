package core

import "errors"

// createUser adds a person.
type createUser struct {
	user User
	by   string
}

func (c createUser) decide(d *Directory, env Env) ([]Payload, User, error) {
	if err := checkOwner(c.user.Name); err != nil {
		return nil, User{}, asField(err, "name")
	}
	if d.userNamed(c.user.Name) != nil {
		return nil, User{}, &NameTakenError{Name: c.user.Name}
	}
	u := c.user
	u.CreatedAt = env.Now
	return []Payload{&UserSetEvent{User: u, By: c.by}}, u, nil
}

// embodyUser makes the participant of a person that has none.
type embodyUser struct {
	user  string
	agent registerAgent
	by    string
}

func (c embodyUser) decide(d *Directory, env Env) ([]Payload, Agent, error) {
	old := d.Users[c.user]
	if old == nil {
		return nil, Agent{}, ErrNoUser
	}
	if a := d.Agents[old.Agent]; a != nil {
		return nil, *a, nil
	}
	agent, err := c.agent.settle(d, env)
	if err != nil {
		return nil, Agent{}, err
	}
	u := *old
	u.Agent = agent.ID
	return []Payload{&AgentRegisteredEvent{Agent: agent, By: c.by}, &UserSetEvent{User: u, By: c.by}}, agent, nil
}

// setPassword changes how a person signs in and ends the sessions that an old password opened, but for the one kept.
type setPassword struct{ user, hash, keep, by string }

func (c setPassword) decide(d *Directory, _ Env) ([]Payload, struct{}, error) {
	old := d.Users[c.user]
	if old == nil {
		return nil, struct{}{}, ErrNoUser
	}
	u := *old
	u.PasswordHash = c.hash
	events := []Payload{&UserSetEvent{User: u, By: c.by}}
	var own []string
	byItself := false
	for _, hash := range sortedKeys(d.UserKeys) {
		if k := d.UserKeys[hash]; k.User == c.user {
			own = append(own, hash)
			byItself = byItself || k.ID == c.keep
		}
	}
	for _, hash := range own {
		// Whoever has the account in its hands may have made tokens, which nobody else can end.
		if k := d.UserKeys[hash]; k.ID != c.keep && (k.What == UserSession || !byItself) {
			events = append(events, &UserKeyRemovedEvent{Hash: hash, By: c.by})
		}
	}
	return events, struct{}{}, nil
}

// setAdmin changes what a person may do.
type setAdmin struct {
	user  string
	admin bool
	by    string
}

func (c setAdmin) decide(d *Directory, _ Env) ([]Payload, struct{}, error) {
	old := d.Users[c.user]
	switch {
	case old == nil:
		return nil, struct{}{}, ErrNoUser
	case old.Admin == c.admin:
		return nil, struct{}{}, nil
	case old.Admin && d.admins() == 1:
		return nil, struct{}{}, ErrLastAdmin
	}
	u := *old
	u.Admin = c.admin
	return []Payload{&UserSetEvent{User: u, By: c.by}}, struct{}{}, nil
}

// deleteUser removes a person with its participant, whose id it returns.
type deleteUser struct{ user, by string }

func (c deleteUser) decide(d *Directory, _ Env) ([]Payload, string, error) {
	u := d.Users[c.user]
	switch {
	case u == nil:
		return nil, "", ErrNoUser
	case u.Admin && d.admins() == 1:
		return nil, "", ErrLastAdmin
	}
	events := []Payload{&UserDeletedEvent{ID: u.ID, By: c.by}}
	if d.Agents[u.Agent] != nil {
		events = append(events, &AgentDeletedEvent{ID: u.Agent, By: c.by})
	}
	return events, u.Agent, nil
}

// asField names the field that an invalid value was given for.
func asField(err error, field string) error {
	var invalid *InvalidError
	if errors.As(err, &invalid) {
		return &InvalidError{Field: field, Reason: invalid.Reason}
	}
	return err
}
