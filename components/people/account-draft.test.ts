import { expect, it } from "vitest";
import { type AccountRow, checkAccount, draftOf, lastSignInMs, signInText } from "./account-draft.ts";

const ADA: AccountRow = {
	...{
		id: "usr_1",
		email: "ada@example.com",
		name: "Ada",
		role: "platform",
		customRole: null,
		teams: [],
		kind: "person",
		hasPassword: false,
	},
	...{ disabledAt: null, invitedUntil: null, identities: [] },
};
const IDENTITY = { id: "idn_1", issuer: "https://id.test", subject: "1", email: ADA.email, linkedAt: null, lastSignInAt: null };

it("explains each wrong field in a sentence", () => {
	expect(checkAccount(draftOf(null, false))).toEqual({
		email: "Enter an email address, such as ada@example.com.",
		name: "Enter a name.",
		teams: "Choose at least one team. Data scientists submit jobs for their teams.",
	});
	expect(checkAccount(draftOf(ADA, false))).toEqual({});
});

it("names how an account signs in", () => {
	expect(signInText(ADA)).toBe("Cannot sign in");
	expect(signInText({ ...ADA, invitedUntil: "2026-01-01T00:00:00Z" })).toBe("Invited");
	expect(signInText({ ...ADA, hasPassword: true })).toBe("Password");
	expect(signInText({ ...ADA, kind: "service" })).toBe("Tokens only");
	expect(signInText({ ...ADA, identities: [IDENTITY] })).toBe("Cannot sign in");
	expect(signInText({ ...ADA, identities: [{ ...IDENTITY, linkedAt: "2026-01-01T00:00:00Z" }] })).toBe("Single sign-on");
});

it("takes the latest sign-in of all identities", () => {
	expect(lastSignInMs(ADA)).toBeNull();
	const identities = ["2026-01-02T00:00:00Z", "2026-01-01T00:00:00Z", null].map((lastSignInAt) => ({ ...IDENTITY, lastSignInAt }));
	expect(lastSignInMs({ ...ADA, identities })).toBe(Date.UTC(2026, 0, 2));
});
