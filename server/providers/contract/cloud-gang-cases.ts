import { expect, it } from "vitest";
import type { InstanceObservation, LaunchRequest } from "../driver.ts";
import { aLaunch, type CloudHarness, isAlive, LAUNCH_REFUSALS, listed } from "./cloud-harness.ts";
import { eventually } from "./cluster-harness.ts";

const NO_FAULTS = "this account cannot be made to fail";

/** The requests for the machines of one attempt. */
function aGang(h: CloudHarness, nodes: number): LaunchRequest[] {
	const first = aLaunch(h, { nodes });
	const ranks = Array.from({ length: nodes }, (_, rank) => rank);
	return ranks.map((rank) => ({ ...first, instanceId: first.instanceId.replace(/0$/, String(rank)) }));
}

/** As in the control loop: the first launch chooses the zone if the offer does not, and the others follow it. */
async function launchGang(h: CloudHarness, [first, ...others]: LaunchRequest[]): Promise<InstanceObservation[]> {
	if (first === undefined) return [];
	const lead = await h.driver.launch(first);
	return [lead, ...(await Promise.all(others.map((request) => h.driver.launch({ ...request, zone: lead.zone }))))];
}

export function gangCases(account: () => CloudHarness): void {
	it("launches a gang in one zone, where its machines reach each other by private addresses", async () => {
		const h = account();
		const requests = aGang(h, 2);
		const made = await launchGang(h, requests);
		expect(new Set(made.map((m) => m.providerInstanceId)).size).toBe(2);
		expect(made[0]?.zone?.startsWith(h.regions[0])).toBe(true);
		expect(new Set(made.map((m) => m.zone)).size).toBe(1);
		const running = await eventually(h, "both run", async () => {
			const ids = made.map((m) => m.providerInstanceId);
			const seen = await h.driver.describe(h.regions[0], ids);
			return seen.length === 2 && seen.every(({ state }) => state === "running") ? seen : null;
		});
		const addresses = running.map((m) => m.privateAddress);
		if (h.agentReportsAddress) expect(addresses).toEqual([null, null]);
		else for (const address of addresses) expect(address).toMatch(/^[0-9a-f.:]+$/);
	});

	it("returns the same machines when a new driver repeats the launch of a gang", async () => {
		const h = account();
		const requests = aGang(h, 2);
		const made = await launchGang(h, requests);
		const again = h.again();
		const zone = made[0]?.zone ?? null;
		const answers = await Promise.all(requests.map((r, rank) => again.launch(rank === 0 ? r : { ...r, zone })));
		expect(answers.map((a) => a.providerInstanceId)).toEqual(made.map((m) => m.providerInstanceId));
		for (const { instanceId } of requests) expect(await listed(h.driver, instanceId)).toHaveLength(1);
	});

	it("places a gang with a high-bandwidth interconnect together, and leaves nothing behind", async (context) => {
		const h = account();
		if (!h.interconnect) return context.skip("this account has no type with a high-bandwidth interconnect");
		const { placements } = h.driver;
		if (!placements) throw new Error("the driver has no placements");
		const { instanceType, zone = null, placedTogether } = h.interconnect;
		const requests = aGang(h, 2).map((request) => ({ ...request, zone, nodes: 2, instanceType, interconnect: "high" as const }));
		const made = await launchGang(h, requests);
		const own = async () => (await placements.list()).filter(({ attemptId }) => attemptId === requests[0]?.attemptId);
		const [placement] = await own();
		if (!placement) throw new Error("no placement");
		expect(placedTogether(placement.name)).toBe(2);
		expect(await h.otherControlPlane().placements?.list()).toEqual([]);
		// In use: nothing happens.
		await placements.delete(placement);
		expect(await own()).toEqual([placement]);
		for (const one of made) await h.driver.terminate(h.regions[0], one.providerInstanceId);
		await eventually(h, "the placement is deleted", async () => {
			await placements.delete(placement);
			return (await own()).length === 0;
		});
		await placements.delete(placement);
	});

	it("places a gang that accepts any network without a placement", async () => {
		const h = account();
		await launchGang(h, aGang(h, 2));
		expect((await h.driver.placements?.list()) ?? []).toEqual([]);
	});

	it.for(["no_capacity", "vcpu_quota"] as const)("leaves no machine of a gang when one is rejected by %s", async (refusal, context) => {
		const h = account();
		if (!h.faults) return context.skip(NO_FAULTS);
		const [first, second, third] = aGang(h, 3) as [LaunchRequest, LaunchRequest, LaunchRequest];
		const [lead, other] = (await launchGang(h, [first, second])) as [InstanceObservation, InstanceObservation];
		h.faults.refuseNextLaunch(refusal);
		await expect(h.driver.launch({ ...third, zone: lead.zone })).rejects.toMatchObject({ kind: LAUNCH_REFUSALS[refusal] });
		expect(await h.driver.findByToken(third.region, third.instanceId)).toBeNull();
		for (const one of [lead, other]) await h.driver.terminate(first.region, one.providerInstanceId);
		await eventually(h, "all are released", async () => {
			const left = await Promise.all([first, second, third].map(({ instanceId }) => listed(h.driver, instanceId)));
			return left.flat().filter(isAlive).length === 0;
		});
	});
}
