import { describe, expect, it } from "vitest";
import type { DataRef, JobSpec } from "#server/domain/job.ts";
import { aJob, anOffer, aPolicy, aSnapshot, denyRule } from "../testing/builders.ts";
import type { Snapshot } from "../types.ts";
import { choosePreparation } from "./choose-preparation.ts";

const offer = anOffer();
const spec = (image: string | null, ...uris: string[]): JobSpec => ({
	...aJob().build().spec,
	image,
	data: uris.map((uri) => aSet(uri)),
});
const aSet = (uri: string, changes: Partial<DataRef> = {}): DataRef => ({ uri, sizeGiB: 5, mount: "/data", residency: [], ...changes });
const choose = (specs: JobSpec[], named: { images?: string[]; data?: string[] } = {}, snapshot: Partial<Snapshot> = {}) =>
	choosePreparation(aSnapshot({ offers: [offer], ...snapshot }), named, { offer, specs });
const briefly = (items: ReturnType<typeof choose>) => items.map(({ name, sharePercent, state }) => [name, sharePercent, state]);

describe("what a machine without a job fetches", () => {
	it("is what at least a quarter of the recorded jobs used, most used first", () => {
		const specs = [
			spec("a"),
			spec("b", "s3://x/1"),
			spec("b", "s3://x/1"),
			spec(null),
			spec("b"),
			spec("c", "s3://x/2"),
			spec("b"),
			spec("a"),
		];
		expect(briefly(choose(specs))).toEqual([
			["b", 50, "pending"],
			["a", 25, "pending"],
			["s3://x/1", 25, "pending"],
		]);
	});

	it("is what the rule names, whatever recorded jobs used", () => {
		const named = choose([spec("a", "s3://x/1")], { images: ["z"], data: ["s3://x/9"] });
		expect(named.map(({ name, source, sharePercent }) => [name, source, sharePercent])).toEqual([
			["z", "rule", null],
			["s3://x/9", "rule", null],
		]);
	});

	it("is at most four images and four data sets, and no files of home and no results of other jobs", () => {
		const uris = ["file:///home/x", "artifact:art_1", ...[1, 2, 3, 4, 5].map((i) => `s3://x/${i}`)];
		expect(choose([spec("a", ...uris)]).map(({ name }) => name)).toEqual(["a", "s3://x/1", "s3://x/2", "s3://x/3", "s3://x/4"]);
	});

	it("leaves out jobs that may not run there now", () => {
		const barred = aPolicy({ rules: [["no", 'job.class == "experimental"', denyRule({ sites: ["cloud"] })]] });
		const experimental: JobSpec = { ...spec("secret", "s3://x/1"), class: "experimental" };
		expect(briefly(choose([experimental, experimental, spec("a")], {}, { policy: barred }))).toEqual([["a", 100, "pending"]]);
	});

	it("skips data that the residency of its last user keeps out of the region", () => {
		const eu = { ...spec("a"), data: [aSet("s3://x/eu", { residency: ["eu"] })] };
		const [item] = choose([eu, spec("a")], { images: [], data: ["s3://x/eu"] });
		expect(item).toMatchObject({ name: "s3://x/eu", state: "skipped", problem: expect.stringContaining("residency") });
	});

	it.each([5, null])("skips data of %s GiB that another cloud would charge egress for", (sizeGiB) => {
		const away = anOffer({ provider: "gcp", siteId: "gcp", region: "us-central1", instanceType: "g2" });
		const replicas = new Map([
			["s3://x/away", ["gcp:us-central1"]],
			["s3://x/near", ["aws:us-east-1", "gcp:us-central1"]],
		]);
		const specs = [{ ...spec("a"), data: [aSet("s3://x/away", { sizeGiB }), aSet("s3://x/near", { sizeGiB })] }];
		const data = { replicas, inboundMiBPerS: new Map(), filesStayHome: true };
		const items = choose(specs, { images: ["a"] }, { offers: [offer, away], data });
		expect(items.slice(1).map(({ name, state, problem }) => [name, state, problem?.split(":")[0] ?? null])).toEqual([
			["s3://x/away", "skipped", "it is only at places that charge egress"],
			["s3://x/near", "pending", null],
		]);
	});
});
