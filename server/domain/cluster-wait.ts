/** Why a cluster's own scheduler keeps an attempt waiting. */
export interface ClusterWait {
	/** The cluster's code for it: Slurm's `Resources`, Kubernetes' `Unschedulable`, `Kueue Pending`. */
	reason: string;
	/** Further details; empty when the code says everything. */
	detail: string;
}

/** Sources: "Job reason codes" of Slurm's documentation, 22.05 to 25.05; the scheduler of Kubernetes 1.20 to 1.36; Kueue's conditions. */
const SENTENCES: Readonly<Record<string, string>> = {
	Resources: "the requested resources are not free now",
	Priority: "jobs with a higher priority go first",
	ReqNodeNotAvail: "required nodes are down, drained or reserved",
	NodeDown: "a required node is down",
	Reservation: "its reservation is not available yet",
	PartitionDown: "its partition is down",
	PartitionInactive: "its partition is inactive",
	PartitionNodeLimit: "it requests more nodes than its partition allows",
	PartitionTimeLimit: "it requests more time than its partition allows",
	BadConstraints: "no node can ever meet its requirements",
	Licenses: "no license is free",
	Dependency: "it depends on another job",
	BeginTime: "its start time has not been reached",
	JobHeldUser: "a user holds it",
	JobHeldAdmin: "an administrator holds it",
	InvalidAccount: "its account is unknown there",
	InvalidQOS: "its quality of service is unknown there",
	QOSNotAllowed: "its quality of service is not allowed in its partition",
	Unschedulable: "no node fits it now",
	TriggeredScaleUp: "the autoscaler is adding a node for it",
	Nominated: "a node is being created for it",
	NotTriggerScaleUp: "no node fits it now, and the autoscaler adds none",
	FailedScheduling: "no node can be created for it now",
	SchedulingGated: "its pods are gated",
	ErrImagePull: "its image cannot be pulled",
	ImagePullBackOff: "its image cannot be pulled; the pull is retried later",
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
	return why === null ? `Waiting in the cluster: ${words}.` : `Waiting in the cluster: ${why} (${words}).`;
}

function limitSentence(reason: string): string | null {
	const found = LIMIT.exec(reason);
	if (!found) return null;
	const [, owner, , what = "", tail = ""] = found;
	const limited = what.startsWith("Wall") ? "time" : (LIMITED[what] ?? what);
	const of = owner === "QOS" ? "its quality of service (QOS)" : owner === "Assoc" ? "its account" : "the cluster";
	const span = tail.includes("Minutes") ? " over time" : "";
	const per = /Per(User|Account|Job|Node)/.exec(tail)?.[1]?.toLowerCase();
	return `it would exceed the limit of ${of} on ${limited}${span}${per === undefined ? "" : ` per ${per}`}`;
}
