import { isDeepStrictEqual } from "node:util";
import type { CompanySpec } from "#server/domain/company-schema.ts";
import { type FieldProblem, SpillwayError } from "#server/kernel/errors.ts";
import { addSite } from "#server/services/capacity/site/add.ts";
import { changeSite } from "#server/services/capacity/site/change.ts";
import { credentialsOf } from "#server/services/capacity/site/credentials.ts";
import { fetchSite } from "#server/services/capacity/site/fetch.ts";
import { kindOf, validateCredentials, validateSettings } from "#server/services/capacity/site/input.ts";
import { removeSite } from "#server/services/capacity/site/remove.ts";
import { listSiteSettings, type SiteSettingsView } from "#server/services/capacity/site/settings-view.ts";
import { type Change, type CompanyContext, differences, type PlanPart, SECRET } from "./change.ts";
import { parseJsonSecret, type Secrets } from "./secrets.ts";

type Site = NonNullable<CompanySpec["sites"]>[number];
type Credentials = { kind: "chain" } | { kind: "stored"; values: Record<string, unknown> };

export async function planSites(
	ctx: CompanyContext,
	wanted: readonly Site[],
	{ prune, secrets }: { prune: boolean; secrets: Secrets },
): Promise<PlanPart> {
	const known = new Map((await listSiteSettings(ctx)).map((site) => [site.id, site]));
	const problems: PlanPart["problems"] = [];
	const changes: Change[] = [];
	for (const [index, site] of wanted.entries()) {
		const before = known.get(site.id);
		const credentials = readCredentials(site, secrets);
		if (credentials === null) {
			problems.push({ at: ["spec", "sites", index, "credentials"], message: `${site.credentials} does not contain a JSON object.` });
			continue;
		}
		if (before && before.provider !== site.provider) {
			problems.push({
				at: ["spec", "sites", index, "provider"],
				message: `Site ${site.id} is of ${before.provider}, which cannot change. Use another id.`,
			});
			continue;
		}
		const wrong = problemsOf(ctx, site, before ?? null, credentials);
		problems.push(...wrong.map(({ path, message }) => ({ at: ["spec", "sites", index, ...path.split(".")], message })));
		if (wrong.length > 0) continue;
		changes.push(...(before ? await planChange(ctx, site, before, credentials) : [planAdd(site, credentials)]));
	}
	const names = new Set(wanted.map(({ id }) => id));
	const removed = [...known.values()].filter(({ id, provider }) => prune && provider !== "local" && !names.has(id));
	return { changes: [...changes, ...removed.map(planRemove)], skipped: [], problems };
}

/** Reasons for which adding or changing the site would be rejected. */
function problemsOf(ctx: CompanyContext, site: Site, before: SiteSettingsView | null, credentials: Credentials): readonly FieldProblem[] {
	try {
		const kind = kindOf(ctx.siteTools, site.provider);
		validateSettings(kind, site.settings, before?.settings ?? null);
		validateCredentials(kind, credentials, site.settings);
		return [];
	} catch (error) {
		if (!(error instanceof SpillwayError) || error.code !== "invalid_input") throw error;
		return error.fields;
	}
}

function readCredentials(site: Site, secrets: Secrets): Credentials | null {
	if (site.credentials === undefined) return { kind: "chain" };
	const values = parseJsonSecret(site.credentials, secrets);
	return values && { kind: "stored", values };
}

function planAdd(site: Site, credentials: Credentials): Change {
	const { id, provider, settings, enabled, name = id } = site;
	const secret = credentials.kind === "stored" ? { credentials: SECRET } : {};
	return {
		...{ kind: "site", id, action: "create", fields: differences(null, { name, provider, settings, enabled, ...secret }) },
		apply: async (ctx) => {
			await addSite(ctx, { id, name, provider, settings, credentials });
			if (!enabled) await changeSite(ctx, id, { enabled });
		},
	};
}

async function planChange(ctx: CompanyContext, site: Site, before: SiteSettingsView, credentials: Credentials): Promise<Change[]> {
	const { id, settings, enabled, name = id } = site;
	const after = { name, enabled, settings };
	const isSame = await hasCredentials(ctx, id, before, credentials);
	const fields = [
		...differences({ name: before.name, enabled: before.enabled, settings: before.settings }, after),
		...(isSame
			? []
			: [
					{
						field: "credentials",
						before: before.credentials.source.kind === "chain" ? null : SECRET,
						after: credentials.kind === "chain" ? null : SECRET,
					},
				]),
	];
	if (fields.length === 0) return [];
	const apply = (at: CompanyContext) => changeSite(at, id, { ...after, ...(!isSame && { credentials }) });
	return [{ ...{ kind: "site", id, action: "update", fields }, apply }];
}

async function hasCredentials(ctx: CompanyContext, id: string, before: SiteSettingsView, wanted: Credentials): Promise<boolean> {
	const { kind } = before.credentials.source;
	if (kind !== wanted.kind) return false;
	if (wanted.kind === "chain") return true;
	const stored = await credentialsOf(ctx.siteTools.keys, await fetchSite(ctx.db, id)).catch(() => null);
	return isDeepStrictEqual(stored, wanted.values);
}

function planRemove({ id, enabled }: SiteSettingsView): Change {
	return {
		...{ kind: "site", id, action: "remove", fields: [] },
		apply: async (ctx) => {
			if (enabled) await changeSite(ctx, id, { enabled: false });
			await removeSite(ctx, id);
		},
	};
}
