import { describe, expect, it } from "vitest";
import { parseCsv } from "./csv.ts";
import { convertOffers, zoneNameOfId } from "./offers.ts";

const HEADER =
	"cloud,instance_type,accelerator,accelerator_count,vcpus,memory_gib,region,zone,on_demand_usd_h,spot_usd_h,as_of,od_source,spot_source";
const catalogue = (...rows: string[]) => parseCsv([HEADER, ...rows].join("\n"));
const SKY = "v8,skypilot-catalog v8,skypilot-catalog v8";

describe("csv", () => {
	it("reads quoted fields", () => {
		expect(parseCsv('a,b,c\n1,"x, ""y""",\n')).toEqual([{ a: "1", b: 'x, "y"', c: "" }]);
	});
	it("rejects a record with a different number of fields", () => {
		expect(() => parseCsv("a,b\n1,2,3")).toThrow("3 fields");
	});
});

describe("offers from the raw catalog", () => {
	it("names zones by the convention az1 = a", () => {
		expect(zoneNameOfId("us-east-1", "use1-az2")).toBe("us-east-1b");
		expect(() => zoneNameOfId("us-east-1", "b")).toThrow();
	});

	it("treats spot = on-demand, also after rounding, as no spot price", () => {
		const { file } = convertOffers(
			"aws",
			catalogue(`aws,p4d.24xlarge,A100,8,96,1152,ap-northeast-1,apne1-az1,30.09784,30.0978,${SKY}`),
			new Map(),
		);
		expect(file.rows).toEqual([
			["p4d.24xlarge", "ap-northeast-1", "ap-northeast-1a", "apne1-az1", "30.09784", "skypilot-v8", null, null, null],
		]);
	});

	it("excludes and counts stale prices, missing prices, fractional GPUs and unsupported families", () => {
		const { file, skipped } = convertOffers(
			"aws",
			catalogue(
				"aws,p5en.48xlarge,H200,8,192,2048,us-east-2,,84.8,29.68,2025-04-04,ec2.shop (STALE: before the cut),x",
				"aws,g5.xlarge,A10G,1,4,16,us-east-2,,,,2025-04-04,ec2.shop,",
				"aws,g6.large,L4,0.5,4,16,us-east-2,,1,,2025-04-04,ec2.shop,",
				"aws,trn1.2xlarge,Trainium,1,8,32,us-east-2,,1,,2025-04-04,ec2.shop,",
			),
			new Map(),
		);
		expect(file.rows).toEqual([]);
		expect(Object.fromEntries(skipped)).toEqual({ stale_price: 1, no_price: 1, fraction_of_gpu: 1, family: 1 });
	});

	it("derives machines from a TPU chip's price: v6e at $2.7 a chip is $21.6 for 8; Compute Engine has none for v5e", () => {
		const of = "us-east5,,2.7,1.89,2024-12-23,gpuhunt tpu_pricing.json,gpuhunt tpu_pricing.json";
		const { file } = convertOffers("gcp", catalogue(`gcp,tpu-v6e-chip,TPU-v6e,1,,,${of}`, `gcp,tpu-v5e-chip,TPU-v5e,1,,,${of}`), new Map());
		expect(file.types).toEqual({
			"ct6e-standard-1t": ["TPU-v6e", 1, 44, 176],
			"ct6e-standard-4t": ["TPU-v6e", 4, 180, 720],
			"ct6e-standard-8t": ["TPU-v6e", 8, 180, 1_440],
		});
		expect(file.rows.map(([type, , , , usd, , spot]) => [type, usd, spot])).toEqual([
			["ct6e-standard-1t", "2.7", "1.89"],
			["ct6e-standard-4t", "10.8", "7.56"],
			["ct6e-standard-8t", "21.6", "15.12"],
		]);
	});

	it("rejects an undescribed source", () => {
		expect(() => convertOffers("aws", catalogue("aws,g5.xlarge,A10G,1,4,16,us-east-2,,1,,2025-04-04,hearsay,"), new Map())).toThrow(
			"hearsay",
		);
	});
});
