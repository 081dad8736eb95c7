import { expect, it } from "vitest";
import { aLaunch, type CloudHarness, MISSING_INSTANCE } from "./cloud-harness.ts";
import { eventually } from "./cluster-harness.ts";

const NO_FAULTS = "this account cannot be made to fail";

export function listCases(account: () => CloudHarness): void {
	it("omits instances that the provider does not know", async () => {
		const h = account();
		const made = await h.driver.launch(aLaunch(h));
		expect(await h.driver.describe(h.regions[0], [])).toEqual([]);
		expect(await h.driver.describe(h.regions[0], [MISSING_INSTANCE])).toEqual([]);
		const seen = await h.driver.describe(h.regions[0], [MISSING_INSTANCE, made.providerInstanceId]);
		expect(seen.map((i) => i.providerInstanceId)).toEqual([made.providerInstanceId]);
		expect(await h.driver.describe(h.regions[1], [made.providerInstanceId])).toEqual([]);
		expect(await h.driver.findByToken(h.regions[0], "ins_unknown_001_0")).toBeNull();
	});

	it("lists all pages of every region, each instance once and with its tag", async () => {
		const h = account();
		const requests = Array.from({ length: h.moreThanAPage }, () => aLaunch(h));
		requests.push(aLaunch(h, { region: h.regions[1] }));
		await Promise.all(requests.map((r) => h.driver.launch(r)));
		const all = await h.driver.list();
		expect(all.instances.map((i) => i.instanceId).toSorted()).toEqual(requests.map((r) => r.instanceId).toSorted());
		expect(new Set(all.instances.map((i) => i.region))).toEqual(new Set(h.regions));
		expect(all.sweptRegions).toEqual(expect.arrayContaining(h.regions));
		expect(all.failedRegions).toEqual([]);
	});

	it("repeats a listing immediately when the connection is closed before the response", async (context) => {
		const h = account();
		if (!h.faults?.loseNextListAnswer) return context.skip(NO_FAULTS);
		const request = aLaunch(h);
		await h.driver.launch(request);
		h.faults.loseNextListAnswer();
		const all = await h.driver.list();
		expect(all.instances.map((i) => i.instanceId)).toEqual([request.instanceId]);
		expect(all.failedRegions).toEqual([]);
	});

	it("never shows another control plane's instances", async () => {
		const h = account();
		const mine = aLaunch(h);
		const theirs = aLaunch(h);
		const other = h.otherControlPlane();
		await h.driver.launch(mine);
		const made = await other.launch(theirs);
		expect((await h.driver.list()).instances.map((i) => i.instanceId)).toEqual([mine.instanceId]);
		expect((await other.list()).instances.map((i) => i.instanceId)).toEqual([theirs.instanceId]);
		expect(await h.driver.findByToken(h.regions[0], theirs.instanceId)).toBeNull();
		expect(await h.driver.describe(h.regions[0], [made.providerInstanceId])).toEqual([]);
	});

	it("lists instances tagged with our control plane only, and none without a tag", async (context) => {
		const h = account();
		if (!h.faults) return context.skip(NO_FAULTS);
		const stranger = await h.faults.plantTaggedStranger(h.regions[0]);
		await h.faults.plantUntagged(h.regions[0]);
		const all = await h.driver.list();
		expect(all.instances.map((i) => [i.providerInstanceId, i.instanceId])).toEqual([[stranger, null]]);
	});

	it("lists a region on request that its settings no longer name", async (context) => {
		const h = account();
		if (!h.withoutSecondRegion) return context.skip("the account's settings cannot be changed");
		const far = aLaunch(h, { region: h.regions[1] });
		const made = await h.driver.launch(far);
		const left = h.withoutSecondRegion();
		expect(await left.list()).toMatchObject({ instances: [], sweptRegions: [h.regions[0]] });
		const all = await left.list([h.regions[1], h.regions[0]]);
		expect(all.instances.map((i) => i.providerInstanceId)).toEqual([made.providerInstanceId]);
		expect(all.sweptRegions).toEqual(h.regions);
		await left.terminate(h.regions[1], made.providerInstanceId);
		const hasEnded = async () => (await left.list([h.regions[1]])).instances.every(({ state }) => state === "terminated");
		await eventually(h, "the machine no longer exists", hasEnded);
	});

	it("reports a region that fails, and lists the others", async (context) => {
		const h = account();
		if (!h.faults) return context.skip(NO_FAULTS);
		const far = aLaunch(h, { region: h.regions[1] });
		await h.driver.launch(aLaunch(h));
		await h.driver.launch(far);
		h.faults.failRegion("list", h.regions[0]);
		const all = await h.driver.list();
		expect(all.instances.map((i) => i.instanceId)).toEqual([far.instanceId]);
		expect(all.sweptRegions).not.toContain(h.regions[0]);
		expect(all.failedRegions).toEqual([{ region: h.regions[0], message: expect.stringMatching(/./) }]);
	});
}
