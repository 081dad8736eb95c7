import type { Db } from "#server/db/client.ts";
import { account, team } from "#server/db/schema/account.ts";
import { site } from "#server/db/schema/site.ts";
import type { Clock } from "#server/kernel/clock.ts";
import { systemContext } from "#server/services/context.ts";
import { publishPolicy } from "#server/services/policy/publish.ts";
import { REGIONS } from "./catalog.ts";
import type { Cloud } from "./plan.ts";

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
    - id: life
      limit: { instanceHours: 1 }
  budgets:
    - { id: cloud-month, scope: "true", period: month, capUsd: 100000, atCap: hold }
  weights: { delayUsdPerHour: 5, carbonUsdPerTonne: 0 }
`;

/** A team, its person, the clouds and a policy. */
export async function seedWorld(db: Db, clock: Clock, clouds: readonly Cloud[]): Promise<void> {
	await db.insert(team).values({ name: "research" });
	await db.insert(account).values({
		...{ id: "usr_a", email: "a@example.test", name: "A", role: "platform", teams: ["research"] },
		createdAt: new Date(clock.nowMs()),
	});
	await db.insert(site).values(clouds.map((id) => ({ id, name: id, provider: id, settings: { regions: REGIONS[id] }, healthy: true })));
	await publishPolicy(systemContext(db, clock, "seed"), { name: "default", message: "chaos", source: POLICY });
}
