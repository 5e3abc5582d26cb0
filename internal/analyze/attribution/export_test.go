package attribution

var Advisable = advisable
