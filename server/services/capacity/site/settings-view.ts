import { asc, isNull } from "drizzle-orm";
import { type CredentialSource, site, type UnpricedPool } from "#server/db/schema/site.ts";
import type { Provider } from "#server/domain/vocabulary.ts";
import type { SiteField } from "#server/providers/site-kind.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { iso } from "#server/services/core/view.ts";
import { fetchSite } from "./fetch.ts";
import type { SiteRow } from "./row.ts";
import type { LeastRights, SiteContext } from "./tools.ts";

/** A site for its administrators. For credentials, only their location and date, never their content. */
export interface SiteSettingsView {
	id: string;
	name: string;
	provider: Provider;
	enabled: boolean;
	healthy: boolean;
	healthMessage: string | null;
	lastSeenAt: string | null;
	settings: Record<string, unknown>;
	credentials: { source: CredentialSource; changedAt: string | null };
	/** Pools reported by the cluster that have no price yet: no jobs are placed there. */
	unpricedPools: UnpricedPool[];
}

export function siteSettingsView(row: SiteRow): SiteSettingsView {
	return {
		...{ id: row.id, name: row.name, provider: row.provider, enabled: row.enabled, settings: row.settings },
		...{ healthy: row.healthy, healthMessage: row.healthMessage, lastSeenAt: iso(row.lastSeenAt) },
		credentials: { source: row.credentialSource ?? { kind: "chain" }, changedAt: iso(row.credentialsChangedAt) },
		unpricedPools: row.unpricedPools ?? [],
	};
}

/** Every site that was not removed, with its settings. @throws SpillwayError `forbidden`. */
export async function listSiteSettings(ctx: ServiceContext): Promise<SiteSettingsView[]> {
	authorize(ctx, "site:manage", null);
	return (await ctx.db.select().from(site).where(isNull(site.removedAt)).orderBy(asc(site.id))).map(siteSettingsView);
}

/** @throws SpillwayError `forbidden`, `not_found`. */
export async function getSiteSettings(ctx: ServiceContext, id: string): Promise<SiteSettingsView> {
	authorize(ctx, "site:manage", null);
	return siteSettingsView(await fetchSite(ctx.db, id));
}

/** A provider that can be connected, and its form fields. */
export interface SiteKindView {
	provider: Provider;
	title: string;
	owned: boolean;
	fields: readonly SiteField[];
	credentialFields: readonly SiteField[];
	withoutCredentials: string | null;
	/** From docs/providers, to paste at the provider. */
	leastRights: readonly LeastRights[];
	docs: string;
}

/** @throws SpillwayError `forbidden`. */
export function listSiteKinds(ctx: SiteContext): SiteKindView[] {
	authorize(ctx, "site:manage", null);
	const { kinds, leastRights } = ctx.siteTools;
	return kinds.map(({ provider, title, owned, fields, credentialFields, withoutCredentials, docs }) => ({
		...{ provider, title, owned, fields, credentialFields, withoutCredentials },
		...{ leastRights: leastRights(docs), docs: `docs/${docs}` },
	}));
}
