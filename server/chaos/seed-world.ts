import type { Db } from "#server/db/client.ts";
import { account, team } from "#server/db/schema/account.ts";
import { pool, site } from "#server/db/schema/site.ts";
import type { Clock } from "#server/kernel/clock.ts";
import { systemContext } from "#server/services/context.ts";
import { publishPolicy } from "#server/services/policy/publish.ts";
import { REGIONS } from "./catalog.ts";
import type { Cloud } from "./plan.ts";

/** The site, and its one pool. */
export const HOME = "home";

function policyOf(clouds: readonly Cloud[], { spread, machinesMax }: WorldTerms): string {
	const places = spread ? clouds.map((c) => `    - { id: to-${c}, when: job.project == "${c}", allow: { sites: [owned, ${c}] } }\n`) : [];
	const cap = machinesMax === null ? "" : `    - { id: machines, scope: "true", instances: ${machinesMax} }\n`;
	return POLICY.replace("  budgets:\n", `${places.join("")}  budgets:\n${cap}`);
}

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
  weights: { delayUsdPerHour: 5, carbonUsdPerTonne: 0 }
`;

/** A team, its person, the clouds and a policy. */
export interface WorldTerms {
	/** Slots of the site at home; 0: there is none. */
	homeSlots: number;
	/** A rule for each cloud, for the project of its name. */
	spread: boolean;
	machinesMax: number | null;
}

export async function seedWorld(db: Db, clock: Clock, clouds: readonly Cloud[], terms: WorldTerms): Promise<void> {
	await db.insert(team).values({ name: "research" });
	await db.insert(account).values({
		...{ id: "usr_a", email: "a@example.test", name: "A", role: "platform", teams: ["research"] },
		createdAt: new Date(clock.nowMs()),
	});
	await db.insert(site).values(clouds.map((id) => ({ id, name: id, provider: id, settings: { regions: REGIONS[id] }, healthy: true })));
	if (terms.homeSlots > 0) {
		await db.insert(site).values({ id: HOME, name: HOME, provider: "local", settings: {}, healthy: true });
		await db.insert(pool).values({
			...{ id: HOME, siteId: HOME, accelerator: "L40S-48GB", nodes: 1, gpusPerNode: terms.homeSlots, unavailableSlots: [] },
			...{ microUsdPerGpuHour: 100_000n, wattsPerGpu: 300, ownedSince: new Date(clock.nowMs()) },
		});
	}
	await publishPolicy(systemContext(db, clock, "seed"), { name: "default", message: "chaos", source: policyOf(clouds, terms) });
}
