package lives

// A business is a business phone number that receives webhooks.
type Business struct {
	Portfolio string // whose BSUIDs its webhooks carry
	Group     string // the linked portfolios that share parent BSUIDs; or ""
	Account   string // ID of the WhatsApp Business Account
	ID        string // ID of the phone number
	Phone     string // the number itself, digits only
}

// shops returns the default businesses, which are two numbers in the same portfolio.
func shops() []Business {
	return []Business{
		{Portfolio: "shop", Group: "group", Account: "102290129340398", ID: "106540352242922", Phone: "15550783881"},
		{Portfolio: "shop", Group: "group", Account: "102290129340398", ID: "106540352242923", Phone: "15550783882"},
	}
}
