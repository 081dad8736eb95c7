import { expect, it } from "vitest";
import { clusterWaitSentence } from "./cluster-wait.ts";

it.each([
	["Resources", "", "The cluster lets it wait: what it asks for is not free now (Resources)."],
	[
		"QOSMaxGRESPerUser",
		"",
		"The cluster lets it wait: it would go beyond the limit of its quality of service (QOS) on GPUs for one user (QOSMaxGRESPerUser).",
	],
	["AssocGrpGRES", "", "The cluster lets it wait: it would go beyond the limit of its account on GPUs (AssocGrpGRES)."],
	[
		"AssocGrpGRESMinutes",
		"",
		"The cluster lets it wait: it would go beyond the limit of its account on GPUs over time (AssocGrpGRESMinutes).",
	],
	[
		"QOSMaxWallDurationPerJobLimit",
		"",
		"The cluster lets it wait: it would go beyond the limit of its quality of service (QOS) on time for one job (QOSMaxWallDurationPerJobLimit).",
	],
	[
		"MaxGRESPerAccount",
		"",
		"The cluster lets it wait: it would go beyond the limit of the cluster on GPUs for one account (MaxGRESPerAccount).",
	],
	[
		"ReqNodeNotAvail",
		"ReqNodeNotAvail, UnavailableNodes:gpu01",
		"The cluster lets it wait: nodes that it needs are down, drained or reserved (ReqNodeNotAvail, UnavailableNodes:gpu01).",
	],
	[
		"Unschedulable",
		"0/4 nodes are available: 4 Insufficient nvidia.com/gpu.",
		"The cluster lets it wait: no node takes it now (Unschedulable: 0/4 nodes are available: 4 Insufficient nvidia.com/gpu).",
	],
	["SomethingNew", "", "The cluster lets it wait: SomethingNew."],
])("says %s %s in a sentence that keeps the cluster's word", (reason, detail, sentence) => {
	expect(clusterWaitSentence({ reason, detail })).toBe(sentence);
});
