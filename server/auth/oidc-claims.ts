import { z } from "zod";
import type { GroupMap } from "#server/domain/group-map.ts";
import { rightsOfGroups } from "#server/domain/group-map.ts";
import type { OidcPerson } from "#server/domain/oidc-person.ts";

const NAME_MAX = 128;
const GROUPS_MAX = 5_000;

export interface OidcRules {
	groupsClaim: string;
	groupMap: GroupMap;
	/** Treat every address of this issuer as verified, for issuers that send no email_verified (Entra). */
	trustEmail: boolean;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this refuses
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
const printable = (max: number) =>
	z
		.string()
		.min(1)
		.max(max)
		.refine((text) => !CONTROL.test(text));

const claimsSchema = z.looseObject({
	iss: printable(512),
	sub: printable(256),
	email: z.email().max(256).optional().catch(undefined),
	email_verified: z.union([z.boolean(), z.enum(["true", "false"]).transform((v) => v === "true")]).catch(false),
	name: z.string().optional().catch(undefined),
});

/** Parses an issuer's signed claims. null without a usable issuer and subject. Unusable groups and names are dropped. */
export function readClaims(raw: unknown, rules: OidcRules): OidcPerson | null {
	const parsed = claimsSchema.safeParse(raw);
	if (!parsed.success) return null;
	const claims = parsed.data;
	const email = claims.email ?? null;
	const name = (claims.name ?? "").replace(new RegExp(CONTROL.source, "g"), " ").trim().slice(0, NAME_MAX);
	return {
		issuer: claims.iss,
		subject: claims.sub,
		email,
		emailVerified: email !== null && (claims.email_verified || rules.trustEmail),
		name: name || email || claims.sub,
		rights: rightsOfGroups(groupsIn(claims, rules.groupsClaim), rules.groupMap),
	};
}

/** The claim may be nested (`realm_access.roles`), or a single string for a person with one group. */
function groupsIn(claims: Record<string, unknown>, path: string): string[] {
	const value = Object.hasOwn(claims, path) ? claims[path] : path.split(".").reduce<unknown>(ownValue, claims);
	const list = typeof value === "string" ? [value] : Array.isArray(value) ? value : [];
	return list.filter((g): g is string => typeof g === "string").slice(0, GROUPS_MAX);
}

function ownValue(from: unknown, key: string): unknown {
	return typeof from === "object" && from !== null && Object.hasOwn(from, key) ? (from as Record<string, unknown>)[key] : undefined;
}
