package identity

// maxPhone is the greatest number of digits of a phone number. E.164 allows 15; a
// webhook is taken as it is, so there is some room.
const maxPhone = 32

// canonicalPhone returns the form of a phone number that stands for both forms of an
// Argentine, Brazilian or Mexican mobile number. Other texts are returned unchanged.
//
//	Argentina  54  area and number of 10 digits          ->  54 9 ...
//	Brazil     55  area of 2 digits, 8 digits from 6 up  ->  55 area 9 ...
//	Mexico     52 1 area and number of 10 digits         ->  52 ...
func canonicalPhone(digits string) string {
	switch {
	case len(digits) == 12 && digits[:2] == "54" && '1' <= digits[2] && digits[2] <= '3':
		return "549" + digits[2:]
	case len(digits) == 12 && digits[:2] == "55" && '6' <= digits[4] && digits[4] <= '9':
		return digits[:4] + "9" + digits[4:]
	case len(digits) == 13 && digits[:3] == "521":
		return "52" + digits[3:]
	}
	return digits
}
