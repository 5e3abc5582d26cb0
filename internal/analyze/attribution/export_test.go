package attribution

// Advisable is advisable, for a test that holds it against the plan.
var Advisable = advisable
