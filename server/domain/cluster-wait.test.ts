import { expect, it } from "vitest";
import { clusterWaitSentence } from "./cluster-wait.ts";

it.each([
	["Resources", "", "Waiting in the cluster: the requested resources are not free now (Resources)."],
	[
		"QOSMaxGRESPerUser",
		"",
		"Waiting in the cluster: it would exceed the limit of its quality of service (QOS) on GPUs per user (QOSMaxGRESPerUser).",
	],
	["AssocGrpGRES", "", "Waiting in the cluster: it would exceed the limit of its account on GPUs (AssocGrpGRES)."],
	["AssocGrpGRESMinutes", "", "Waiting in the cluster: it would exceed the limit of its account on GPUs over time (AssocGrpGRESMinutes)."],
	[
		"QOSMaxWallDurationPerJobLimit",
		"",
		"Waiting in the cluster: it would exceed the limit of its quality of service (QOS) on time per job (QOSMaxWallDurationPerJobLimit).",
	],
	["MaxGRESPerAccount", "", "Waiting in the cluster: it would exceed the limit of the cluster on GPUs per account (MaxGRESPerAccount)."],
	[
		"ReqNodeNotAvail",
		"ReqNodeNotAvail, UnavailableNodes:gpu01",
		"Waiting in the cluster: required nodes are down, drained or reserved (ReqNodeNotAvail, UnavailableNodes:gpu01).",
	],
	[
		"Unschedulable",
		"0/4 nodes are available: 4 Insufficient nvidia.com/gpu.",
		"Waiting in the cluster: no node fits it now (Unschedulable: 0/4 nodes are available: 4 Insufficient nvidia.com/gpu).",
	],
	["SomethingNew", "", "Waiting in the cluster: SomethingNew."],
])("says %s %s in a sentence that keeps the cluster's word", (reason, detail, sentence) => {
	expect(clusterWaitSentence({ reason, detail })).toBe(sentence);
});
