import { scimMember } from "#server/db/schema/scim.ts";
import type { CompanySpec } from "#server/domain/company-schema.ts";
import { roleName } from "#server/services/core/custom-role.ts";
import { type AccountView, createAccount, disableAccount, enableAccount, listAccounts } from "../account/manage.ts";
import { updateAccount } from "../account/update.ts";
import { type Change, type CompanyContext, differences, type PlanPart } from "./change.ts";

type Person = NonNullable<CompanySpec["people"]>[number];
const sorted = (teams: readonly string[]) => [...new Set(teams)].sort();

/** `teams`: names that exist once the file's teams are applied. */
export async function planPeople(
	ctx: CompanyContext,
	wanted: readonly Person[],
	{ prune, teams }: { prune: boolean; teams: ReadonlySet<string> },
): Promise<PlanPart> {
	const accounts = await listAccounts(ctx);
	const members = await ctx.db.selectDistinct({ id: scimMember.accountId }).from(scimMember);
	const inGroups = new Set(members.map(({ id }) => id));
	const known = new Map(accounts.map((account) => [account.email.toLowerCase(), account]));
	const parts = wanted.map((person) => planPerson(person, known.get(person.email.toLowerCase()), inGroups));
	const names = new Set(wanted.map((person) => person.email.toLowerCase()));
	const actorId = ctx.actor.kind === "person" ? ctx.actor.accountId : null;
	const removed = accounts.filter(
		({ id, email, kind, disabledAt }) =>
			prune && kind !== "demo" && disabledAt === null && id !== actorId && !names.has(email.toLowerCase()),
	);
	return {
		changes: [
			...parts.flatMap(({ changes }) => changes),
			...removed.map(
				({ id, email }): Change => ({
					...{ kind: "person", id: email, action: "remove", fields: [] },
					apply: (at) => disableAccount(at, id),
				}),
			),
		],
		skipped: parts.flatMap(({ skipped }) => skipped),
		problems: wanted.flatMap((person, index) => [
			...person.teams.flatMap((team, no) =>
				teams.has(team) ? [] : [{ at: ["spec", "people", index, "teams", no], message: `There is no team "${team}". Add it under teams.` }],
			),
			...kindProblem(person, known.get(person.email.toLowerCase()), index),
		]),
	};
}

function kindProblem(person: Person, before: AccountView | undefined, index: number): PlanPart["problems"] {
	if (before === undefined || (before.kind === "service") === person.service) return [];
	const is = before.kind === "service" ? "a service account" : "a person";
	return [{ at: ["spec", "people", index, "service"], message: `${person.email} is ${is}, which cannot change. Use another address.` }];
}

/** `inGroups`: ids of accounts with groups from SCIM. */
function planPerson(person: Person, before: AccountView | undefined, inGroups: ReadonlySet<string>): Pick<PlanPart, "changes" | "skipped"> {
	const { email, name, role, service } = person;
	const after = { name, role, teams: sorted(person.teams) };
	if (!before) {
		const fields = differences(null, { ...after, ...(service && { service }) });
		return {
			changes: [
				{ ...{ kind: "person", id: email, action: "create", fields }, apply: (ctx) => createAccount(ctx, { ...after, email, service }) },
			],
			skipped: [],
		};
	}
	const all = differences({ name: before.name, role: roleName(before), teams: sorted(before.teams) }, after);
	const isProvided = inGroups.has(before.id) || before.identities.some((identity) => identity.linkedAt !== null);
	const fields = [
		...all.filter(({ field }) => !isProvided || field === "name"),
		...(before.disabledAt === null ? [] : [{ field: "active", before: "false", after: "true" }]),
	];
	const skipped = all
		.filter(({ field }) => isProvided && field !== "name")
		.map(({ field }) => `${email}: ${field} comes from the identity provider's groups`);
	const apply = async (ctx: CompanyContext) => {
		if (before.disabledAt !== null) await enableAccount(ctx, before.id);
		await updateAccount(ctx, before.id, isProvided ? { name } : after);
	};
	return { changes: fields.length === 0 ? [] : [{ ...{ kind: "person", id: email, action: "update", fields }, apply }], skipped };
}
