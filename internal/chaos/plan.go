package chaos

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// Plan is all that a run decides beforehand: how the controller is started, what
// the writers do, and what goes wrong. It follows from the seed alone. When its
// parts meet is a matter of timing, and differs between two runs of one seed.
type Plan struct {
	Seed uint64
	// Domain, Class and Workers are flags of the controller.
	Domain, Class string
	Workers       int
	// Leader starts two replicas with leader election.
	Leader bool
	// LateStart begins the script without waiting for the controller.
	LateStart bool
	// Terminate deletes the namespace while the controller runs.
	Terminate bool
	// Stubborn has one Service whose Ingress cannot be written until the
	// controller gives up.
	Stubborn bool
	// Setup is done before the controller starts, Writers side by side after that.
	Setup   []Op
	Writers []Writer
	Faults  Faults
	// Disruptions happen to processes and connections while the writers work.
	Disruptions []Disruption
}

// Writer is one client that changes things, step by step.
type Writer struct {
	Name string
	Ops  []Op
}

// Op is one change. Which of the fields count depends on Do.
type Op struct {
	// Pause comes before the change.
	Pause time.Duration
	Do    Action
	// Name is that of the Service and of its Ingress.
	Name string
	// Key and Value are an annotation, or what else is written; Remove takes the
	// annotation away.
	Key, Value string
	Remove     bool
	// Annotations, Ports and Headless describe a Service.
	Annotations map[string]string
	Ports       []Port
	Headless    bool
}

// Port is a port of a Service.
type Port struct {
	Name   string
	Number int32
}

// Action is a kind of change.
type Action string

// The kinds of changes: to Services, to the Ingresses of the controller, and to
// Ingresses that are not the controller's.
const (
	ServiceCreate   Action = "create service"
	ServiceDelete   Action = "delete service"
	ServiceAnnotate Action = "annotate service"
	ServicePorts    Action = "change ports"
	ServiceExternal Action = "make it an ExternalName"
	ServiceInternal Action = "make it a ClusterIP"

	IngressHost    Action = "edit host"
	IngressPath    Action = "edit path"
	IngressPort    Action = "edit port"
	IngressRule    Action = "add a rule"
	IngressNoRules Action = "replace the rules by a default backend"
	IngressClass   Action = "edit class"
	IngressLabel   Action = "label ingress"
	IngressNote    Action = "annotate ingress"
	IngressTLS     Action = "add tls"
	IngressDelete  Action = "delete ingress"
	IngressOrphan  Action = "take the owner away"

	ForeignCreate Action = "create foreign ingress"
	ForeignEdit   Action = "edit foreign ingress"
	ForeignDelete Action = "delete foreign ingress"
)

// Disruption is what happens to a process or to all connections.
type Disruption struct {
	Pause time.Duration
	Do    DisruptionKind
	// Hold is how long the thing stays away.
	Hold time.Duration
}

// DisruptionKind is a kind of Disruption.
type DisruptionKind string

// The kinds of Disruption.
const (
	Kill       DisruptionKind = "kill -9"
	Freeze     DisruptionKind = "leader frozen"
	Outage     DisruptionKind = "connection refused"
	APIRestart DisruptionKind = "API server restart"
)

// The names that the script uses. The Service steady always wants its Ingress,
// headless may have no ports, plain never wants one but shares its name with
// somebody else's, and that of stubborn cannot be written for a while.
const (
	steady   = "steady"
	headless = "headless"
	plain    = "plain"
	bystand  = "bystander"
	stubborn = "stubborn"
)

const (
	annotationHTTP = "ingress/http"
	annotationHost = "ingress/host"
	annotationPort = "ingress/port"
)

// restartEvery is how many seeds share one restart of the API server, which
// hits every run that is going on.
const restartEvery = 40

// planner draws the parts of a Plan.
type planner struct {
	*rand.Rand
	names []string
}

// NewPlan draws the plan of a seed.
func NewPlan(seed uint64) Plan {
	p := &planner{Rand: rand.New(rand.NewPCG(seed, 0x696e6772657373))}
	p.names = []string{"a", "b", "c", "d"}[:2+p.IntN(3)]
	plan := Plan{
		Seed:      seed,
		Domain:    pick(p, "example.com", "apps.example.org"),
		Class:     pick(p, "", "chaos"),
		Workers:   1 + p.IntN(5),
		Leader:    p.chance(0.2),
		LateStart: p.chance(0.3),
		Terminate: p.chance(0.25),
	}
	plan.Setup = p.setup()
	plan.Writers = []Writer{
		{Name: "services", Ops: p.series(16+p.IntN(10), p.annotate)},
		{Name: "owners", Ops: p.series(8+p.IntN(6), p.lifecycle)},
		{Name: "hands", Ops: p.series(25+p.IntN(10), p.hand)},
		{Name: "others", Ops: p.series(5+p.IntN(4), p.foreign)},
	}
	plan.Faults = p.faults()
	plan.Disruptions = p.disruptions(plan)
	if p.chance(0.08) {
		plan.beStubborn()
	}
	return plan
}

// beStubborn leaves out what might make the controller give up on other things,
// and watches that begin anew, which bring each key back.
func (p *Plan) beStubborn() {
	p.Stubborn, p.Leader, p.Disruptions, p.Faults = true, false, nil, Faults{}
	p.Setup = append(p.Setup, Op{Do: ServiceCreate, Name: stubborn,
		Annotations: map[string]string{annotationHTTP: "true"}, Ports: []Port{{"http", 80}}})
}

func pick[T any](p *planner, from ...T) T { return from[p.IntN(len(from))] }

func (p *planner) chance(share float64) bool { return p.Float64() < share }

func (p *planner) upTo(most time.Duration) time.Duration {
	return time.Duration(p.Int64N(int64(most))).Round(time.Millisecond)
}

// series takes about a second and a half, however many changes it has.
func (p *planner) series(n int, draw func() Op) []Op {
	most := 3 * time.Second / time.Duration(n)
	ops := make([]Op, n)
	for i := range ops {
		ops[i] = draw()
		ops[i].Pause = p.upTo(most)
	}
	return ops
}

// setup are the objects that are there before the controller.
func (p *planner) setup() []Op {
	ops := []Op{
		{Do: ServiceCreate, Name: steady, Annotations: map[string]string{annotationHTTP: "true"}, Ports: p.ports()},
		{Do: ServiceCreate, Name: plain, Ports: p.ports()},
		{Do: ForeignCreate, Name: plain, Value: pick(p, "", "configmap")},
		{Do: ForeignCreate, Name: bystand, Value: pick(p, "", "configmap")},
		{Do: ServiceCreate, Name: headless, Headless: true, Annotations: p.annotations(), Ports: p.headlessPorts()},
	}
	for _, name := range p.names {
		if p.chance(0.85) {
			ops = append(ops, p.create(name))
		}
		if p.chance(0.15) {
			ops = append(ops, Op{Do: ForeignCreate, Name: name, Value: pick(p, "", "configmap")})
		}
	}
	return ops
}

func (p *planner) create(name string) Op {
	return Op{Do: ServiceCreate, Name: name, Annotations: p.annotations(), Ports: p.ports()}
}

func (p *planner) annotations() map[string]string {
	a := map[string]string{}
	if p.chance(0.9) {
		a[annotationHTTP] = pick(p, "true", "true", "true", "true", "false", "True")
	}
	if p.chance(0.3) {
		a[annotationHost] = p.host()
	}
	if p.chance(0.2) {
		a[annotationPort] = p.port()
	}
	return a
}

func (p *planner) host() string {
	if p.chance(0.2) {
		return pick(p, "UPPER.example.com", "under_score.example.com", "a..b", "-dash.example.com",
			"127.0.0.1", "with space.example.com", "a.example.com:8080", "https://a.example.com")
	}
	return fmt.Sprintf("h%d.example.net", p.IntN(50))
}

func (p *planner) port() string {
	if p.chance(0.2) {
		return pick(p, "0", "70000", "-1", "4444", "nothing", "no_name!")
	}
	return pick(p, "http", "web", "80", "8080", "metrics", "metrics", "9090")
}

func (p *planner) ports() []Port {
	return pick(p,
		[]Port{{"http", 80}, {"metrics", 9090}},
		[]Port{{"metrics", 9090}, {"http", 8080}},
		[]Port{{"web", 8080}, {"http", 80}, {"metrics", 9090}},
		[]Port{{"web", 80}, {"metrics", 9090}},
		[]Port{{"metrics", 9090}, {"web", 8080}},
		[]Port{{"", 80}})
}

func (p *planner) headlessPorts() []Port {
	if p.chance(0.5) {
		return nil
	}
	return p.ports()
}

// annotate changes a Service that may or may not be there.
func (p *planner) annotate() Op {
	name := p.name()
	if name == steady {
		if p.chance(0.5) {
			return Op{Do: ServiceAnnotate, Name: name, Key: annotationHost, Value: fmt.Sprintf("s%d.example.net", p.IntN(50))}
		}
		return Op{Do: ServicePorts, Name: name, Ports: p.ports()}
	}
	switch n := p.IntN(20); {
	case n < 6:
		return Op{Do: ServiceAnnotate, Name: name, Key: annotationHTTP, Value: "true"}
	case n < 9:
		return Op{Do: ServiceAnnotate, Name: name, Key: annotationHTTP, Remove: true}
	case n < 11:
		return Op{Do: ServiceAnnotate, Name: name, Key: annotationHTTP, Value: pick(p, "false", "True", "yes", "1")}
	case n < 14:
		return Op{Do: ServiceAnnotate, Name: name, Key: annotationHost, Value: p.host(), Remove: p.chance(0.3)}
	case n < 16:
		return Op{Do: ServiceAnnotate, Name: name, Key: annotationPort, Value: p.port(), Remove: p.chance(0.5)}
	case name == headless:
		return Op{Do: ServicePorts, Name: name, Ports: p.headlessPorts(), Headless: true}
	case n < 17:
		return Op{Do: ServicePorts, Name: name, Ports: p.ports()}
	case n < 18:
		return Op{Do: ServiceExternal, Name: name}
	default:
		return Op{Do: ServiceInternal, Name: name, Ports: p.ports()}
	}
}

func (p *planner) name() string {
	switch n := p.IntN(10); {
	case n < 2:
		return steady
	case n < 3:
		return headless
	default:
		return pick(p, p.names...)
	}
}

// lifecycle deletes and makes Services.
func (p *planner) lifecycle() Op {
	name := pick(p, p.names...)
	if p.chance(0.35) {
		return Op{Do: ServiceDelete, Name: name, Value: pick(p, "Background", "Background", "Foreground")}
	}
	return p.create(name)
}

// hand edits an Ingress of the controller.
func (p *planner) hand() Op {
	name := p.name()
	do := pick(p, IngressHost, IngressPath, IngressPort, IngressRule, IngressNoRules, IngressClass,
		IngressLabel, IngressLabel, IngressNote, IngressTLS, IngressDelete, IngressOrphan)
	if name == steady && do == IngressOrphan {
		do = IngressLabel
	}
	return Op{Do: do, Name: name, Key: fmt.Sprintf("example.org/k%d", p.IntN(3)), Value: fmt.Sprintf("v%d", p.IntN(1000))}
}

// foreign changes an Ingress that is not the controller's.
func (p *planner) foreign() Op {
	name := pick(p, append([]string{headless}, p.names...)...)
	do := pick(p, ForeignCreate, ForeignEdit, ForeignDelete, ForeignDelete)
	if do == ForeignEdit && p.chance(0.4) {
		name = pick(p, plain, bystand)
	}
	value := fmt.Sprintf("f%d.example.net", p.IntN(50))
	if do == ForeignCreate {
		value = pick(p, "", "configmap")
	}
	return Op{Do: do, Name: name, Value: value}
}

// disruptions keeps what takes long to few runs.
func (p *planner) disruptions(plan Plan) []Disruption {
	var all []Disruption
	for p.chance(0.35) && len(all) < 3 {
		all = append(all, Disruption{Pause: p.upTo(800 * time.Millisecond), Do: Kill, Hold: p.upTo(400 * time.Millisecond)})
	}
	if p.chance(0.15) {
		all = append(all, Disruption{Pause: p.upTo(500 * time.Millisecond), Do: Outage,
			Hold: 100*time.Millisecond + p.upTo(700*time.Millisecond)})
	}
	if plan.Leader && p.chance(0.6) {
		all = append(all, Disruption{Pause: p.upTo(500 * time.Millisecond), Do: Freeze, Hold: p.upTo(500 * time.Millisecond)})
	}
	if plan.Seed%restartEvery == 7 {
		all = append(all, Disruption{Pause: p.upTo(500 * time.Millisecond), Do: APIRestart})
	}
	return all
}

// String tells the plan, a line for each decision.
func (p Plan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d\ndomain %q, class %q, workers %d, leader election %v, late start %v, namespace deleted %v, stubborn %v\n",
		p.Seed, p.Domain, p.Class, p.Workers, p.Leader, p.LateStart, p.Terminate, p.Stubborn)
	fmt.Fprintf(&b, "\nsetup\n")
	for _, op := range p.Setup {
		fmt.Fprintf(&b, "  %s\n", op)
	}
	for _, w := range p.Writers {
		fmt.Fprintf(&b, "\nwriter %s\n", w.Name)
		for _, op := range w.Ops {
			fmt.Fprintf(&b, "  %s\n", op)
		}
	}
	fmt.Fprintf(&b, "\ndisruptions\n")
	for _, c := range p.Disruptions {
		fmt.Fprintf(&b, "  after %s: %s for %s\n", c.Pause, c.Do, c.Hold)
	}
	fmt.Fprintf(&b, "\nfaults\n%s", p.Faults)
	return b.String()
}

// String tells the change in one line.
func (o Op) String() string {
	text := fmt.Sprintf("after %s: %s %s", o.Pause, o.Do, o.Name)
	switch {
	case o.Remove:
		text += fmt.Sprintf(", remove %s", o.Key)
	case o.Key != "":
		text += fmt.Sprintf(", %s=%q", o.Key, o.Value)
	case o.Value != "":
		text += fmt.Sprintf(", %q", o.Value)
	}
	if len(o.Annotations) > 0 {
		text += fmt.Sprintf(", annotations %q", o.Annotations)
	}
	if len(o.Ports) > 0 || o.Headless {
		text += fmt.Sprintf(", ports %v, headless %v", o.Ports, o.Headless)
	}
	return text
}
