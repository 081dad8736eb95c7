import { describe, expect, it } from "vitest";
import { reachWithin, securityGroupSchema } from "./aws/gang-network.ts";
import { networkGroupSchema, reachThrough } from "./azure/gang-network.ts";
import { firewallSchema, reachBetween } from "./gcp/gang-network.ts";
import { describeReach, type Reach } from "./reach.ts";

describe("AWS: security groups", () => {
	const groups = (...rules: object[]) => [
		securityGroupSchema.parse({ GroupId: "sg-1", IpPermissions: rules }),
		{ GroupId: "sg-2", IpPermissions: [] },
	];
	const from = (GroupId: string) => ({ UserIdGroupPairs: [{ GroupId }] });
	it.each<[string, object[], Reach]>([
		["no rule", [], "no"],
		["all traffic from itself, as the default group has", [{ IpProtocol: "-1", ...from("sg-1") }], "yes"],
		["all traffic from the machine's other group", [{ IpProtocol: "-1", ...from("sg-2") }], "yes"],
		["all traffic from somebody else's group", [{ IpProtocol: "-1", ...from("sg-9") }], "no"],
		["TCP on all ports from everywhere", [{ IpProtocol: "tcp", FromPort: 0, ToPort: 65_535, IpRanges: [{ CidrIp: "0.0.0.0/0" }] }], "yes"],
		["one port from itself", [{ IpProtocol: "tcp", FromPort: 22, ToPort: 22, ...from("sg-1") }], "no"],
		["all traffic from addresses that may be the subnet's", [{ IpProtocol: "-1", IpRanges: [{ CidrIp: "10.0.0.0/16" }] }], "maybe"],
	])("%s", (_what, rules, reach) => expect(reachWithin(groups(...rules))).toBe(reach));
});

describe("Azure: network security groups", () => {
	const group = (...rules: object[]) =>
		networkGroupSchema.parse({
			properties: {
				securityRules: rules.map((rule) => ({
					name: "r",
					properties: {
						direction: "Inbound",
						protocol: "*",
						sourceAddressPrefix: "*",
						destinationPortRange: "*",
						priority: 100,
						access: "Deny",
						...rule,
					},
				})),
			},
		});
	const deny = { priority: 4_000 };
	it.each<[string, object[], Reach]>([
		["no own rule: AllowVnetInBound", [], "yes"],
		["everything denied", [deny], "no"],
		["everything denied behind what allows the network", [deny, { access: "Allow", sourceAddressPrefix: "VirtualNetwork" }], "yes"],
		[
			"the network allowed only after the denial",
			[deny, { access: "Allow", sourceAddressPrefix: "VirtualNetwork", priority: 4_001 }],
			"no",
		],
		["one port allowed before the denial", [deny, { access: "Allow", destinationPortRange: "22" }], "no"],
		["the internet denied", [{ sourceAddressPrefix: "Internet" }], "yes"],
		["some addresses denied", [{ sourceAddressPrefix: null, sourceAddressPrefixes: ["10.1.0.0/16"] }], "maybe"],
		["only outbound denied", [{ direction: "Outbound" }], "yes"],
	])("%s", (_what, rules, reach) => expect(reachThrough(group(...rules))).toBe(reach));
});

describe("Google: firewall rules", () => {
	const place = { ipCidrRange: "10.128.0.0/20", networkTags: ["burst"] };
	const rule = (changes: object) => firewallSchema.parse({ name: "r", direction: "INGRESS", ...changes });
	const all = { allowed: [{ IPProtocol: "all" }] };
	const internal = {
		sourceRanges: ["10.128.0.0/9"],
		priority: 65_534,
		allowed: [{ IPProtocol: "tcp", ports: ["0-65535"] }, { IPProtocol: "icmp" }],
	};
	it.each<[string, object[], Reach]>([
		["no rule", [], "no"],
		["default-allow-internal", [internal], "yes"],
		["the same, switched off", [{ ...internal, disabled: true }], "no"],
		["a range that does not hold the subnetwork", [{ ...all, sourceRanges: ["10.128.0.0/24"] }], "no"],
		["between machines of the tag", [{ ...all, sourceTags: ["burst"], targetTags: ["burst"] }], "yes"],
		["to machines of another tag", [{ ...all, sourceRanges: ["0.0.0.0/0"], targetTags: ["web"] }], "no"],
		["SSH alone", [{ sourceRanges: ["0.0.0.0/0"], allowed: [{ IPProtocol: "tcp", ports: ["22"] }] }], "no"],
		["a denial before it", [internal, { sourceRanges: ["0.0.0.0/0"], priority: 900, denied: [{ IPProtocol: "all" }] }], "no"],
		[
			"a denial behind it",
			[
				{ ...internal, priority: 800 },
				{ sourceRanges: ["0.0.0.0/0"], priority: 900, denied: [{ IPProtocol: "all" }] },
			],
			"yes",
		],
	])("%s", (_what, rules, reach) => expect(reachBetween(rules.map(rule), place)).toBe(reach));
});

describe("describeReach", () => {
	it("names problems before unreadable networks, with their cost", () => {
		const looks = [
			{ name: "a", reach: "yes" as const },
			{ name: "b", reach: "no" as const },
			{ name: "c", reach: null },
		];
		expect(describeReach(looks, "the right")).toMatchObject({
			failed: expect.stringMatching(/^Instances cannot reach each other: b\..*and cost money\.$/),
		});
		expect(describeReach(looks.slice(2), "the right")).toMatchObject({
			unknown: expect.stringContaining("c"),
			fix: expect.stringContaining("the right"),
		});
		expect(describeReach(looks.slice(0, 1), "the right")).toBe("Instances reach each other on all ports: a.");
	});
});
