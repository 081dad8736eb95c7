import { z } from "zod";
import { line, NAME, name } from "#server/domain/schema/values.ts";
import { TOKEN_SCOPES } from "#server/domain/token-scopes.ts";

const accountFields = {
	name: z.string().trim().pipe(line(128)),
	/** A built-in role, or a custom role by its name. */
	role: name(),
	teams: z
		.array(z.string().regex(NAME, "must be a team name"))
		.max(50)
		.transform((teams) => [...new Set(teams)]),
};

export const createAccountInput = z.strictObject({
	email: z.email().max(256),
	name: accountFields.name,
	role: accountFields.role,
	teams: accountFields.teams.default([]),
	/** A service account never signs in; it is used through its tokens. A person gets an invitation valid for 7 days. */
	service: z.boolean().default(false),
});

export const updateAccountInput = z.strictObject({
	name: accountFields.name.optional(),
	role: accountFields.role.optional(),
	teams: accountFields.teams.optional(),
});

const TITLE_MAX = 100;
const COST_CENTER_MAX = 64;

const teamDetails = {
	/** Display name; null: the name. */
	title: line(TITLE_MAX).nullable(),
	/** Cost center code in the company's accounting. */
	costCenter: line(COST_CENTER_MAX).nullable(),
	/** Parent team. Grants no rights. */
	parent: name().nullable(),
};

export const teamName = z.string().min(1).max(64);

export const createTeamInput = z.strictObject({
	name: name(),
	title: teamDetails.title.default(null),
	costCenter: teamDetails.costCenter.default(null),
	parent: teamDetails.parent.default(null),
});

export const updateTeamInput = z.strictObject(teamDetails).partial();

const EXPIRES_DAYS_MAX = 365;

export const createTokenInput = z.strictObject({
	name: z.string().trim().pipe(line(100)),
	scopes: z
		.array(z.enum(TOKEN_SCOPES))
		.min(1)
		.transform((scopes) => [...new Set(scopes)].sort()),
	/** Days until the token stops working. */
	expiresInDays: z.number().int().min(1).max(EXPIRES_DAYS_MAX),
	/** Jobs submitted with it need approval above this estimated cost, USD with at most six decimals. */
	approvalAboveUsd: z.number().min(0).max(1e9).multipleOf(0.000001).optional(),
	/** A service account's id; absent: the caller's own. */
	accountId: z.string().min(1).max(64).optional(),
});
