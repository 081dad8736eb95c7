import { asc, eq } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import { site } from "#server/db/schema/site.ts";
import type { CloudProvider } from "./read-billed.ts";

/** The site for bill amounts without an instance: the provider's first site, or the provider's own name if it has no site. */
export async function billedPlace(db: DbOrTx, provider: CloudProvider, region: string | null) {
	const [first] = await db.select({ id: site.id }).from(site).where(eq(site.provider, provider)).orderBy(asc(site.id)).limit(1);
	const withoutOwner = { team: "", project: "", class: "" } as const;
	return {
		...withoutOwner,
		siteId: first?.id ?? provider,
		provider,
		region: region ?? "",
		capacityType: "on_demand",
		accelerator: "",
	} as const;
}
