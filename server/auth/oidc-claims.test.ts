import { expect, it } from "vitest";
import { DEFAULT_GROUP_MAP, groupMapSchema, rightsOfGroups } from "#server/domain/group-map.ts";
import { type OidcRules, readClaims } from "./oidc-claims.ts";

const RULES: OidcRules = { groupsClaim: "groups", groupMap: DEFAULT_GROUP_MAP, trustEmail: false };
const CLAIMS = { iss: "https://id.example.test", sub: "1", email: "ann@example.test", email_verified: true, name: "Ann" };

it("maps group names, ids and a prefix to a role and teams", () => {
	const map = groupMapSchema.parse({
		roles: { "8f4e": "finance", "1a2b": "platform" },
		teams: { "77aa": "research" },
		teamPrefix: "ml-",
	});
	expect(rightsOfGroups(["8f4e", "1a2b", "77aa", "ml-vision"], map)).toEqual({
		role: "platform",
		customRole: null,
		teams: ["research", "vision"],
	});
	expect(rightsOfGroups(["77aa"], map)).toEqual({ role: "data_scientist", customRole: null, teams: ["research"] });
	expect(rightsOfGroups(["other", "constructor", "__proto__"], map)).toBeNull();
	expect(() => groupMapSchema.parse({ roles: { x: "root" } })).toThrow();
	expect(() => groupMapSchema.parse({ teams: { x: "*" } })).toThrow();
});

it("ignores groups that are not valid team names", () => {
	const prefix = "spillway-team-";
	for (const team of ["", "*", "a b", "a\u0000b", "a\u001b[2J", "../x", "é", "x".repeat(64), " research"])
		expect(rightsOfGroups([`${prefix}${team}`], DEFAULT_GROUP_MAP)).toBeNull();
});

it("reads the groups from the configured claim, nested ones included", () => {
	const nested = { ...CLAIMS, realm_access: { roles: ["spillway-platform"] } };
	expect(readClaims(nested, { ...RULES, groupsClaim: "realm_access.roles" })?.rights?.role).toBe("platform");
	expect(
		readClaims({ ...CLAIMS, "https://x.test/groups": "spillway-finance" }, { ...RULES, groupsClaim: "https://x.test/groups" })?.rights,
	).toEqual({ role: "finance", customRole: null, teams: [] });
	for (const groups of [undefined, null, 7, {}, [7, null], "unmapped"]) expect(readClaims({ ...CLAIMS, groups }, RULES)?.rights).toBeNull();
});

it("treats an address as verified only when the issuer or the setting does", () => {
	const verified = (email_verified: unknown, trustEmail = false) =>
		readClaims({ ...CLAIMS, email_verified }, { ...RULES, trustEmail })?.emailVerified;
	expect([true, "true"].map((v) => verified(v))).toEqual([true, true]);
	expect([false, "false", undefined, 1, "yes", null].map((v) => verified(v))).toEqual([false, false, false, false, false, false]);
	expect(verified(undefined, true)).toBe(true);
	expect(readClaims({ iss: "https://i.test", sub: "1" }, { ...RULES, trustEmail: true })?.emailVerified).toBe(false);
});

it("rejects unusable issuers and subjects, and strips control characters from names", () => {
	for (const bad of [{ sub: "" }, { sub: "a\u0000" }, { iss: "" }, { iss: undefined }, { sub: 7 }, { sub: "x".repeat(257) }])
		expect(readClaims({ ...CLAIMS, ...bad }, RULES)).toBeNull();
	expect(readClaims({ ...CLAIMS, name: "A\u001b[2Jnn\u0000" }, RULES)?.name).toBe("A [2Jnn");
	expect(readClaims({ ...CLAIMS, name: " " }, RULES)?.name).toBe("ann@example.test");
});
