package console

import (
	"fmt"
	"time"

	"stele/core"
)

// trafficView is the traffic of the last hour as a picture, and as a table for those who do not see it.
type trafficView struct {
	Minutes []minuteBar
	// Says is what the picture shows, in words; Total is how much was said in the hour, or since messages are
	// counted, Most in a minute.
	Says, Total string
	Most        int
	// Deliveries are over how many deliveries Median and P95 are told, which are empty when there was none.
	Deliveries  int
	Median, P95 string
}

// minuteBar is one minute: where its bar stands in the picture, and what it says.
type minuteBar struct {
	At    time.Time
	Count int
	// Known tells that the minute was counted from its beginning.
	Known                  bool
	X, Y, Width, BarHeight int
}

// The picture, in units of its own.
const (
	chartWidth, chartHeight = 720, 120
	barStep, barWidth       = chartWidth / 60, 9
)

// viewOf draws what passed in the last hour.
func viewOf(t core.Traffic, l core.Latency) *trafficView {
	out := &trafficView{Deliveries: l.Deliveries}
	if l.Deliveries > 0 {
		out.Median, out.P95 = short(l.Median), short(l.P95)
	}
	total := 0
	for _, count := range t.Messages {
		out.Most = max(out.Most, count)
		total += count
	}
	out.Total = howMany(total, "message", "messages") + " in the last hour"
	if !t.Since.IsZero() {
		out.Total = howMany(total, "message", "messages") + " since " + clock(t.Since) + " UTC, when this node started"
	}
	out.Says = fmt.Sprintf("%s, at most %d in a minute, %d in the present one.", out.Total, out.Most, t.Messages[len(t.Messages)-1])
	first := t.At.Truncate(time.Minute).Add(-time.Duration(len(t.Messages)-1) * time.Minute)
	for i, count := range t.Messages {
		bar := minuteBar{At: first.Add(time.Duration(i) * time.Minute), Count: count, X: i * barStep, Width: barWidth}
		bar.Known = count > 0 || !bar.At.Before(t.Since.Truncate(time.Minute))
		if count > 0 {
			// The least is seen as well.
			bar.BarHeight = max(chartHeight*count/out.Most, 2)
		}
		bar.Y = chartHeight - bar.BarHeight
		out.Minutes = append(out.Minutes, bar)
	}
	return out
}

// howMany says how many there are of something.
func howMany(count int, one, many string) string {
	if count == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", count, many)
}

// short says how long something took, with two digits that tell.
func short(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return "under 1 ms"
	case d < 10*time.Millisecond:
		return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}
