package ceiling

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Hardware is one or more devices that hold a model together.
type Hardware struct {
	Name      string  // of the device; "" if only its bandwidth was given
	Bandwidth float64 // bytes per second of one device's memory, peak
	Memory    float64 // bytes of one device; 0: not known
	Count     int     // devices, at least 1
}

// Total returns the bytes per second of all devices together.
func (h Hardware) Total() float64 { return h.Bandwidth * float64(h.Count) }

// String names the devices: "8 × h100", "3.35 TB/s".
func (h Hardware) String() string {
	name := h.Name
	if name == "" {
		name = strconv.FormatFloat(h.Bandwidth/1e12, 'g', 4, 64) + " TB/s"
	}
	if h.Count == 1 {
		return name
	}
	return fmt.Sprintf("%d × %s", h.Count, name)
}

// A Device is a piece of hardware that is known by name.
type Device struct {
	Name      string
	Bandwidth float64 // bytes per second, peak
	Memory    float64 // bytes; 0: sold in several sizes
	Kind      string  // of memory, what the figures are of
}

// Devices returns the known devices. The bandwidths are the peaks that the makers' data sheets and specification pages
// give, as of November 2026.
func Devices() []Device {
	return []Device{
		{"a100", 2.039e12, 80e9, "HBM2e"},     // NVIDIA A100 data sheet: SXM, 80 GB
		{"h100", 3.35e12, 80e9, "HBM3"},       // NVIDIA H100 data sheet: SXM
		{"h100-pcie", 2.0e12, 80e9, "HBM2e"},  // NVIDIA H100 PCIe product brief
		{"h200", 4.8e12, 141e9, "HBM3e"},      // NVIDIA H200 data sheet: SXM
		{"b200", 8e12, 180e9, "HBM3e"},        // NVIDIA DGX B200 data sheet: 64 TB/s for eight
		{"b300", 8e12, 288e9, "HBM3e"},        // NVIDIA Blackwell Ultra data sheet
		{"l40s", 864e9, 48e9, "GDDR6"},        // NVIDIA L40S data sheet
		{"rtx4090", 1.008e12, 24e9, "GDDR6X"}, // NVIDIA Ada GPU architecture white paper
		{"rtx5090", 1.792e12, 32e9, "GDDR7"},  // NVIDIA RTX Blackwell GPU architecture white paper
		{"mi300x", 5.3e12, 192e9, "HBM3"},     // AMD Instinct MI300X data sheet
		{"mi325x", 6e12, 256e9, "HBM3e"},      // AMD Instinct MI325X data sheet
		{"m3-ultra", 819e9, 0, "unified"},     // Apple Mac Studio (2025) technical specifications
		{"m4-max", 546e9, 0, "unified"},       // the same, with the 40-core GPU
	}
}

// ParseHardware reads the name of a device or its bandwidth, and how many there are: "h100", "h100,count=8",
// "bandwidth=3.35TB/s,count=8".
func ParseHardware(text string) (Hardware, error) {
	h := Hardware{Count: 1}
	fields := strings.Split(text, ",")
	for i, field := range fields {
		key, value, pair := strings.Cut(strings.TrimSpace(field), "=")
		var err error
		switch {
		case !pair && i == 0:
			err = h.device(key)
		case key == "bandwidth" && h.Bandwidth == 0:
			h.Bandwidth, err = parseBandwidth(value)
		case key == "bandwidth":
			err = errors.New("bandwidth is given twice, or for a device that is known")
		case key == "count":
			if h.Count, err = strconv.Atoi(value); err != nil || h.Count < 1 || h.Count > 1e6 {
				err = fmt.Errorf("count=%s: want a whole number from 1", value)
			}
		default:
			err = fmt.Errorf("%q: want a device, bandwidth=… or count=…", field)
		}
		if err != nil {
			return Hardware{}, fmt.Errorf("hardware %q: %w", text, err)
		}
	}
	if h.Bandwidth == 0 {
		return Hardware{}, fmt.Errorf("hardware %q: want a device or its bandwidth=…", text)
	}
	return h, nil
}

func (h *Hardware) device(name string) error {
	var known []string
	for _, d := range Devices() {
		if strings.EqualFold(d.Name, name) {
			h.Name, h.Bandwidth, h.Memory = d.Name, d.Bandwidth, d.Memory
			return nil
		}
		known = append(known, d.Name)
	}
	return fmt.Errorf("no known device; known are %s; any other by bandwidth=3.35TB/s", strings.Join(known, ", "))
}
