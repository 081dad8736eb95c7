import type { Db } from "#server/db/client.ts";
import { account, team } from "#server/db/schema/account.ts";
import { pool, site } from "#server/db/schema/site.ts";
import type { Clock } from "#server/kernel/clock.ts";
import { systemContext } from "#server/services/core/context.ts";
import { publishPolicy } from "#server/services/governance/policy/publish.ts";
import { REGIONS } from "./catalog.ts";
import type { Cloud } from "./plan.ts";

/** The id of the owned site and of its only pool. */
export const HOME = "home";

/** Settings of the owned site. Its slots and everything running in them are in this folder. */
export function homeSettings({ folder, slots }: { folder: string; slots: number }) {
	return [HOME, { home: folder, slots, accelerator: "L40S-48GB", poolId: HOME }] as const;
}

type Site = Omit<typeof site.$inferInsert, "name" | "healthy">;
type Pool = Omit<typeof pool.$inferInsert, "unavailableSlots" | "ownedSince">;

/** Creates a team with a member, healthy sites named by their ids, healthy pools, and a policy in force. */
export async function seedSites(db: Db, clock: Clock, seed: { sites: Site[]; pools: Pool[]; policy: string }): Promise<void> {
	const now = new Date(clock.nowMs());
	await db.insert(team).values({ name: "research" });
	await db.insert(account).values({
		...{ id: "usr_a", email: "a@example.test", name: "A", role: "platform", teams: ["research"] },
		createdAt: now,
	});
	await db.insert(site).values(seed.sites.map((s) => ({ ...s, name: s.id, healthy: true })));
	if (seed.pools.length > 0) await db.insert(pool).values(seed.pools.map((p) => ({ ...p, unavailableSlots: [], ownedSince: now })));
	await publishPolicy(systemContext(db, clock, "seed"), { name: "default", message: "chaos", source: seed.policy });
}

export interface WorldTerms {
	/** Slots of the owned site; 0: no owned site. */
	homeSlots: number;
	/** Whether the policy has a rule for each cloud that covers the project of the same name. */
	spread: boolean;
	machinesMax: number | null;
}

/** Seeds the clouds of a run, home if it has one, and the policy by which jobs burst, move and spread. */
export async function seedWorld(db: Db, clock: Clock, clouds: readonly Cloud[], terms: WorldTerms): Promise<void> {
	const { homeSlots: gpusPerNode } = terms;
	const hasHome = gpusPerNode > 0;
	const home = { id: HOME, siteId: HOME, accelerator: "L40S-48GB", nodes: 1, gpusPerNode, microUsdPerGpuHour: 100_000n, wattsPerGpu: 300 };
	await seedSites(db, clock, {
		sites: [
			...clouds.map((id): Site => ({ id, provider: id, settings: { regions: REGIONS[id] } })),
			...(hasHome ? [{ id: HOME, provider: "local" as const, settings: {} }] : []),
		],
		pools: hasHome ? [home] : [],
		policy: policyOf(clouds, terms),
	});
}

function policyOf(clouds: readonly Cloud[], { spread, machinesMax }: WorldTerms): string {
	const places = spread ? clouds.map((c) => `    - { id: to-${c}, when: job.project == "${c}", allow: { sites: [owned, ${c}] } }\n`) : [];
	const cap = machinesMax === null ? "" : `    - { id: machines, scope: "true", instances: ${machinesMax} }\n`;
	return POLICY.replace("  budgets:\n", `${places.join("")}  budgets:\n${cap}`);
}

/**
 * Delay cost per hour: high enough that waiting at home is worse than a cloud, and low enough that moving home pays off even
 * with other jobs queued behind.
 */
const POLICY = `apiVersion: spillway/v1
kind: Policy
metadata: { name: default }
spec:
  rules:
    - id: burst-on-wait
      burst: { after: { forecastWait: 1s } }
    - id: spot-for-experiments
      when: job.class == "experimental"
      require: { capacityType: spot }
    - id: the-rest-on-demand
      when: job.class != "experimental"
      require: { capacityType: on_demand }
    - id: moves
      move: { to: [home, cheaper], savingUsd: 0.01 }
    - id: life
      limit: { instanceHours: 4 }
  budgets:
    - { id: cloud-month, scope: "true", period: month, capUsd: 100000, atCap: hold }
  weights: { delayUsdPerHour: 2, carbonUsdPerTonne: 0 }
`;
