/** Why a cluster's own scheduler keeps an attempt waiting. */
export interface ClusterWait {
	/** The cluster's code for it: Slurm's `Resources`, Kubernetes' `Unschedulable`, `Kueue Pending`. */
	reason: string;
	/** Further details; empty when the code says everything. */
	detail: string;
}

/** Sources: "Job reason codes" of Slurm's documentation, 22.05 to 25.05; the scheduler of Kubernetes 1.20 to 1.36; Kueue's conditions. */
const SENTENCES: Readonly<Record<string, string>> = {
	Resources: "what it asks for is not free now",
	Priority: "jobs of a higher priority go before it",
	ReqNodeNotAvail: "nodes that it needs are down, drained or reserved",
	NodeDown: "a node that it needs is down",
	Reservation: "it waits for its reservation",
	PartitionDown: "its partition takes no jobs now",
	PartitionInactive: "its partition starts no jobs now",
	PartitionNodeLimit: "it asks for more nodes than its partition gives",
	PartitionTimeLimit: "it asks for more time than its partition gives",
	BadConstraints: "no node ever has what it asks for",
	Licenses: "it waits for a licence",
	Dependency: "it waits for another job",
	BeginTime: "its time to begin has not come",
	JobHeldUser: "somebody holds it",
	JobHeldAdmin: "an administrator holds it",
	InvalidAccount: "its account is not known there",
	InvalidQOS: "its quality of service is not known there",
	QOSNotAllowed: "its quality of service is not allowed in its partition",
	Unschedulable: "no node takes it now",
	TriggeredScaleUp: "its autoscaler is adding a node for it",
	Nominated: "a node is being made for it",
	NotTriggerScaleUp: "no node takes it now, and its autoscaler adds none for it",
	FailedScheduling: "no node is made for it now",
	SchedulingGated: "its pods are gated",
	ErrImagePull: "its image cannot be fetched",
	ImagePullBackOff: "its image cannot be fetched, and is tried again later",
	"Kueue Pending": "Kueue has no quota for it now",
	"Kueue Inadmissible": "Kueue cannot admit it",
};

/** `QOSMaxGRESPerUser`, `AssocGrpGRES`, `QOSGrpNodeLimit`, `MaxGRESPerAccount`: owner, resource and scope of the limit. */
const LIMIT = /^(QOS|Assoc)?(Grp|Max)(GRES|Gres|Cpu|CPU|Node|Mem|Memory|Jobs|SubmitJobs|Submit|Wall(?:Duration)?|Billing|BB|License)(\w*)$/;
const LIMITED: Readonly<Record<string, string>> = {
	...{ GRES: "GPUs", Gres: "GPUs", Cpu: "CPUs", CPU: "CPUs", Node: "nodes", Mem: "memory", Memory: "memory", Jobs: "jobs" },
	...{ SubmitJobs: "jobs", Submit: "jobs", Billing: "billing units", BB: "burst buffer", License: "licences" },
};

/** A sentence that ends with the cluster's own code, so that an administrator can look it up. */
export function clusterWaitSentence({ reason, detail }: ClusterWait): string {
	const why = SENTENCES[reason] ?? limitSentence(reason);
	const more = detail.replace(/[.\s]+$/, "");
	// Slurm repeats its code before the details.
	const words = more.startsWith(reason) ? more : [reason, more].filter(Boolean).join(": ");
	return why === null ? `The cluster lets it wait: ${words}.` : `The cluster lets it wait: ${why} (${words}).`;
}

function limitSentence(reason: string): string | null {
	const found = LIMIT.exec(reason);
	if (!found) return null;
	const [, owner, , what = "", tail = ""] = found;
	const limited = what.startsWith("Wall") ? "time" : (LIMITED[what] ?? what);
	const of = owner === "QOS" ? "its quality of service (QOS)" : owner === "Assoc" ? "its account" : "the cluster";
	const span = tail.includes("Minutes") ? " over time" : "";
	const per = /Per(User|Account|Job|Node)/.exec(tail)?.[1]?.toLowerCase();
	return `it would go beyond the limit of ${of} on ${limited}${span}${per === undefined ? "" : ` for one ${per}`}`;
}
