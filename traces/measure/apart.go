package measure

// MoreOften reports whether the 95 % intervals of the success rates leave no doubt that a is right more often than b: they do
// not overlap, which is stricter than a test at 5 %.
func MoreOften(a, b *Group) bool {
	return a.Success != nil && b.Success != nil && a.Success.Low > b.Success.High
}

// Sooner reports whether the 95 % intervals of the medians leave no doubt that a is right sooner than b.
func Sooner(a, b *Group) bool {
	return a.TimeToCorrect.High != nil && b.TimeToCorrect.Low != nil && *a.TimeToCorrect.High < *b.TimeToCorrect.Low
}
