import { and, eq, isNull, sql } from "drizzle-orm";
import { addSiteInput } from "#server/contract/inputs/capacity.ts";
import type { Tx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { site } from "#server/db/schema/site.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import type { SiteKind } from "#server/providers/site-kind.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import { auditedSite } from "./fetch.ts";
import { type AddSiteInput, kindOf, validateCredentials, validateSettings } from "./input.ts";
import { type SiteSettingsView, siteSettingsView } from "./settings-view.ts";
import type { SiteContext } from "./tools.ts";

/**
 * Connects a cloud account or a cluster. A running scheduler is notified and opens it; connecting launches nothing.
 * @throws SpillwayError `forbidden`, `invalid_input` naming its fields, `conflict` when the id is or was another site's, or a site of a
 * kind that can exist only once already exists; ZodError.
 */
export async function addSite(ctx: SiteContext, raw: AddSiteInput): Promise<SiteSettingsView> {
	authorize(ctx, "site:manage", null);
	const input = addSiteInput.parse(raw);
	const kind = kindOf(ctx.siteTools, input.provider);
	validateSettings(kind, input.settings);
	const { source, values } = validateCredentials(kind, input.credentials, input.settings);
	const sealed = values && ctx.siteTools.keys.seal(input.id, JSON.stringify(values));
	return ctx.db.transaction(async (tx) => {
		if (kind.single) await requireNoSiteOf(tx, kind);
		const [row] = await tx
			.insert(site)
			.values({
				...{ id: input.id, name: input.name, provider: input.provider, settings: input.settings, credentialSource: source },
				...{ sealedCredentials: sealed, credentialsChangedAt: source.kind === "chain" ? null : new Date(ctx.clock.nowMs()) },
			})
			.onConflictDoNothing()
			.returning();
		if (!row) {
			throw new SpillwayError("conflict", `The site id "${input.id}" is in use or was used before, and charges may refer to it.`, {
				fields: [{ path: "id", message: "is taken" }],
			});
		}
		await writeAudit(tx, ctx, { action: "site.add", subject: row.id, after: auditedSite(row) });
		await notify(tx, { sites: true, wake: true, changes: [{ topic: "site", id: row.id, team: null }] });
		return siteSettingsView(row);
	});
}

async function requireNoSiteOf(tx: Tx, { provider, title }: Pick<SiteKind, "provider" | "title">): Promise<void> {
	await tx.execute(sql`lock table ${site} in share row exclusive mode`);
	const [present] = await tx
		.select({ id: site.id })
		.from(site)
		.where(and(eq(site.provider, provider), isNull(site.removedAt)));
	if (present) {
		throw new SpillwayError("conflict", `${title} is already connected as site "${present.id}".`, {
			fix: `Change that site: spillway site change ${present.id}`,
		});
	}
}
