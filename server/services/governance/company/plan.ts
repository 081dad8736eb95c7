import { createHash } from "node:crypto";
import type { z } from "zod";
import { planCompanyInput } from "#server/contract/inputs/company.ts";
import { type CompanyText, invalidCompany, parseCompanyText } from "#server/domain/company-file.ts";
import { secretPlacesOf } from "#server/domain/company-schema.ts";
import { authorize } from "#server/services/core/authorize.ts";
import { listTeamDetails } from "../team/list.ts";
import type { Change, ChangeView, CompanyContext, PlanPart } from "./change.ts";
import { planChannels } from "./plan-channels.ts";
import { planCurrency } from "./plan-currency.ts";
import { planData } from "./plan-data.ts";
import { planGroups } from "./plan-groups.ts";
import { planPeople } from "./plan-people.ts";
import { planPolicy, planZone } from "./plan-policy.ts";
import { planRateCards } from "./plan-rate-cards.ts";
import { planRoles } from "./plan-roles.ts";
import { planSites } from "./plan-sites.ts";
import { planStores } from "./plan-stores.ts";
import { planTeams } from "./plan-teams.ts";
import { planTemplates } from "./plan-templates.ts";
import { planTriggers } from "./plan-triggers.ts";

export interface CompanyPlan {
	/** Empty when the installation matches the file. */
	changes: ChangeView[];
	/** Differences that are ignored, with the reason. */
	skipped: string[];
	/** Identifies this difference; applying with it fails when something has changed since. */
	hash: string;
}

/**
 * Changes that applying the file would make. Nothing is written.
 * @throws SpillwayError `forbidden`; `invalid_input` with line and column of each problem; `payload_too_large`; ZodError
 */
export async function planCompany(ctx: CompanyContext, raw: z.input<typeof planCompanyInput>): Promise<CompanyPlan> {
	const { changes, skipped } = await computePlan(ctx, raw);
	const views = changes.map(({ kind, id, action, fields }) => ({ kind, id, action, fields }));
	return { changes: views, skipped, hash: hashOf(views) };
}

export function hashOf(changes: readonly ChangeView[]): string {
	const views = changes.map(({ kind, id, action, fields }) => ({ kind, id, action, fields }));
	return createHash("sha256").update(JSON.stringify(views)).digest("hex");
}

/** The plan with the changes to apply. @throws as planCompany */
export async function computePlan(
	ctx: CompanyContext,
	raw: z.input<typeof planCompanyInput>,
): Promise<{ changes: Change[]; skipped: string[] }> {
	authorize(ctx, "account:manage", null);
	const { text, secrets, prune } = planCompanyInput.parse(raw);
	const file = parseCompanyText(text);
	requireSecrets(file, secrets);
	const { timeZone, teams, roles, groups, people, sites, rateCards, stores, templates, triggers, channels } = file.spec;
	const names = await teamNames(ctx, teams, prune);
	const parts: PlanPart[] = [];
	if (timeZone !== undefined) parts.push(await planZone(ctx, timeZone));
	if (file.spec.currency !== undefined || file.spec.exchangeRates) parts.push(await planCurrency(ctx, file.spec));
	const teamPart = teams && (await planTeams(ctx, teams, prune));
	// Removals come last: people, groups, stores, channels and the policy may still name the teams and sites.
	if (teamPart) parts.push(keep(teamPart, "added"));
	const rolePart = roles && (await planRoles(ctx, roles, prune));
	if (rolePart) parts.push(keep(rolePart, "added"));
	const groupPart = groups && (await planGroups(ctx, groups, { prune, teams: new Set(names) }));
	if (groupPart) parts.push(keep(groupPart, "added"));
	if (people) parts.push(await planPeople(ctx, people, { prune, teams: new Set(names) }));
	const sitePart = sites && (await planSites(ctx, sites, { prune, secrets }));
	if (sitePart) parts.push(keep(sitePart, "added"));
	const siteIds = sites?.map(({ id }) => id) ?? [];
	if (rateCards) parts.push(await planRateCards(ctx, rateCards, siteIds));
	if (stores) parts.push(await planStores(ctx, stores, { prune, secrets, teams: new Set(names) }));
	if (file.spec.dataSets || file.spec.dataStores) parts.push(await planData(ctx, file.spec, prune));
	if (file.policy) parts.push(await planPolicy(ctx, file.policy, { teams: names, siteIds }));
	if (groupPart) parts.push(keep(groupPart, "removed"));
	if (rolePart) parts.push(keep(rolePart, "removed"));
	if (templates) parts.push(await planTemplates(ctx, templates, { prune, teams: new Set(names) }));
	if (triggers) parts.push(await planTriggers(ctx, triggers, { prune, secrets, teams: new Set(names) }));
	if (channels) parts.push(await planChannels(ctx, channels, { prune, secrets }));
	if (sitePart) parts.push(keep(sitePart, "removed"));
	if (teamPart) parts.push(keep(teamPart, "removed"));
	const problems = parts.flatMap((part) => [...part.problems.map(file.locate), ...(part.located ?? [])]);
	if (problems.length > 0) throw invalidCompany(problems);
	return { changes: parts.flatMap((part) => part.changes), skipped: parts.flatMap((part) => part.skipped) };
}

function keep(part: PlanPart, which: "added" | "removed"): PlanPart {
	const isRemoval = which === "removed";
	const changes = part.changes.filter(({ action }) => (action === "remove") === isRemoval);
	return isRemoval ? { changes, skipped: [], problems: [] } : { ...part, changes };
}

/** Teams that exist once the file is applied. */
async function teamNames(ctx: CompanyContext, teams: readonly { name: string }[] | undefined, prune: boolean): Promise<string[]> {
	const known = prune && teams ? [] : (await listTeamDetails(ctx)).map(({ name }) => name);
	return [...new Set([...known, ...(teams ?? []).map(({ name }) => name)])].sort();
}

function requireSecrets({ spec, locate }: CompanyText, secrets: Readonly<Record<string, string>>): void {
	const missing = secretPlacesOf(spec).filter(({ ref }) => !Object.hasOwn(secrets, ref));
	if (missing.length > 0) throw invalidCompany(missing.map(({ ref, at }) => locate({ at, message: `The value of ${ref} was not sent.` })));
}
