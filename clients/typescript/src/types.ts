// Generated from the API contract by clients/generate/main.ts. Do not edit: change the contract and run npm run clients.

export interface Problem {
	type: string;
	title: string;
	status: number;
	detail: string;
	code: string;
	fix?: string;
	fields?: readonly ProblemFieldsItem[];
	requestId: string;
}

export interface ProblemFieldsItem {
	path: string;
	message: string;
	line?: number;
	column?: number;
}

export interface SubmittedJobs {
	items: readonly SubmittedJobsItemsItem[];
}

export interface SubmittedJobsItemsItem {
	id: string;
	state: "queued";
}

export interface SubmittedJob {
	id: string;
	state: "queued";
	name: string;
}

export interface TimeRange {
	p50Ms: number;
	p90Ms: number;
}

export interface Placement {
	siteId: string;
	provider: PlacementProvider;
	region: string | null;
	zone: string | null;
	capacityType: PlacementCapacityType;
	instanceType: string | null;
	poolId: string | null;
	accelerator: string | null;
	speed?: number;
	egressGiB?: number;
	/** Data sets that each machine reads from another cloud, with the egress that its hold covers. */
	reads?: readonly PlacementReadsItem[];
}

export type PlacementProvider = "local" | "slurm" | "kubernetes" | "aws" | "azure" | "gcp";

export type PlacementCapacityType = "owned" | "reserved" | "on_demand" | "spot";

export interface PlacementReadsItem {
	uri: string;
	from: string;
	microUsd: number;
}

export interface Reason {
	code: ReasonCode;
	message: string;
	facts: Readonly<Record<string, boolean | string | number | null>>;
}

export type ReasonCode =
	| "submitted"
	| "waiting_for_home"
	| "waiting_to_burst"
	| "waiting_no_allowed_offer"
	| "budget_exceeded"
	| "cap_exceeded"
	| "approval_required"
	| "waiting_not_approved"
	| "capacity_backoff"
	| "waiting_for_spot"
	| "deferred_cheaper_hour"
	| "deferred_greener_hour"
	| "copying_data_ahead"
	| "copying_data_home"
	| "no_progress"
	| "held_by_person"
	| "placed_home"
	| "placed_cloud"
	| "started"
	| "completed"
	| "exit_nonzero"
	| "killed_by_signal"
	| "max_duration_exceeded"
	| "cancelled_by_person"
	| "no_placement_possible"
	| "out_of_memory"
	| "staging_failed"
	| "outputs_not_kept"
	| "image_pull_failed"
	| "command_not_started"
	| "too_many_attempts"
	| "spot_interruption"
	| "instance_vanished"
	| "instance_expired"
	| "instance_not_ready_in_time"
	| "agent_silent"
	| "gang_member_failed"
	| "launch_refused_capacity"
	| "launch_refused_quota"
	| "launch_refused"
	| "launch_never_happened"
	| "evicted_for_deadline"
	| "evicted_for_newcomer"
	| "returning_home"
	| "moving_cheaper"
	| "moving_together"
	| "moving_for_deadline"
	| "moved_by_person"
	| "site_failover"
	| "instance_idle"
	| "gpu_utilisation_low"
	| "budget_cap_reached"
	| "site_stopped"
	| "site_lost"
	| "job_finished"
	| "orphan_found"
	| "kept_warm_over"
	| "adoption_ended";

export interface Job {
	id: string;
	name: string;
	team: string;
	project: string;
	class: JobClass;
	state: JobState;
	reason: Reason;
	priority: number;
	gpus: number;
	placement: Placement | null;
	attempts: number;
	submittedAt: string;
	pendingSince: string;
	startedAt: string | null;
	finishedAt: string | null;
	deadlineAt: string | null;
	cancelRequestedAt: string | null;
	forecast: TimeRange | null;
	estimateMs: number | null;
	completedMs: number;
	expected: JobExpected | null;
	costMicroUsd: string;
	emissionsGrams: number;
	synthetic: boolean;
}

export type JobClass = "baseline" | "burst" | "experimental" | "sensitive" | "batch_inference";

export type JobState = "held" | "queued" | "admitted" | "running" | "succeeded" | "failed" | "cancelled";

export interface JobExpected {
	totalMicroUsd: string;
	workMs: number;
	beganAt: string | null;
	beforeMs: number;
}

export interface JobFacets {
	total: number;
	state: Readonly<Record<string, number>>;
	team: Readonly<Record<string, number>>;
	class: Readonly<Record<string, number>>;
	site: Readonly<Record<string, number>>;
}

export interface ForeignOutcome {
	outcome: "failed" | "cancelled" | "succeeded";
	exitCode: number | null;
	comment: string;
}

export interface Adoption {
	id: string;
	state: AdoptionState;
	siteId: string;
	siteName: string;
	foreignId: string;
	user: string;
	partition: string;
	ruleId: string;
	policyVersion: number;
	offeredAt: string;
	heldAt: string | null;
	endedAt: string | null;
	why: string | null;
	outcome: ForeignOutcome | null;
	output: AdoptionOutput | null;
	problem: string | null;
}

export type AdoptionState = "offered" | "holding" | "held" | "returning" | "released" | "finishing" | "finished" | "abandoned";

export interface AdoptionOutput {
	files: readonly string[];
	problem: string | null;
}

export type FindingKind = "changed" | "carried" | "dropped" | "question";

export interface Finding {
	line: number;
	kind: FindingKind;
	subject: string;
	text: string;
}

export interface Checkpoint {
	id: string;
	attemptId: string;
	createdAt: string;
	files: number;
	bytes: number;
	completedMs: number;
}

export interface Instance {
	id: string;
	provider: PlacementProvider;
	siteId: string;
	providerInstanceId: string | null;
	state: InstanceState;
	region: string;
	zone: string | null;
	instanceType: string;
	accelerator: string;
	gpus: number;
	capacityType: PlacementCapacityType;
	microUsdPerHour: string;
	/** Null, like its name and attempt, while it is kept warm without a job; it then has no team. */
	jobId: string | null;
	jobName: string | null;
	team: string;
	attemptId: string | null;
	/** The prewarm rule that launched it, and until when it is kept without a job; null: launched for its job. */
	warm: InstanceWarm | null;
	/** Images and data sets that it fetches while it has no job. Null: none, it has a job, or the caller sees only some teams. */
	prepared: readonly InstancePreparedItem[] | null;
	rank: number;
	nodes: number;
	exitCode: number | null;
	intendedAt: string;
	requestedAt: string | null;
	launchedAt: string | null;
	readyAt: string | null;
	interruptionAt: string | null;
	terminatingAt: string | null;
	terminatedAt: string | null;
	fencedAt: string | null;
	expiresAt: string;
	lastSeenAt: string | null;
	lastHeardAt: string | null;
	lastError: string | null;
	reason: Reason | null;
	costMicroUsd: string;
}

export type InstanceState = "intended" | "requested" | "provisioning" | "ready" | "draining" | "terminating" | "terminated";

export interface InstanceWarm {
	ruleId: string;
	until: string;
	/** It is stopped, and costs only its disk. */
	stopped: boolean;
}

export interface InstancePreparedItem {
	kind: "image" | "data";
	name: string;
	source: "rule" | "history";
	/** Share of the recorded jobs that used it; null: named by the rule. */
	sharePercent: number | null;
	sizeGiB: number | null;
	state: InstancePreparedItemState;
	bytes: number | null;
	digest: string | null;
	problem: string | null;
}

export type InstancePreparedItemState = "pending" | "ready" | "failed" | "skipped";

export interface Attempt {
	id: string;
	number: number;
	state: AttemptState;
	placement: Placement;
	gpus: number;
	slots: readonly number[];
	createdAt: string;
	stagingAt: string | null;
	startedAt: string | null;
	stopRequestedAt: string | null;
	finishedAt: string | null;
	reason: Reason | null;
	exitCode: number | null;
	exitSignal: string | null;
	logLines: number;
	clusterWait: AttemptClusterWait | null;
	move: AttemptMove | null;
}

export type AttemptState =
	| "starting"
	| "staging"
	| "running"
	| "stopping"
	| "succeeded"
	| "failed"
	| "interrupted"
	| "evicted"
	| "cancelled"
	| "lost";

export interface AttemptClusterWait {
	reason: string;
	detail: string;
	message: string;
}

export interface AttemptMove {
	to: "home" | "cloud";
	requestedBy: string | null;
	at: string | null;
}

export interface OutputSpec {
	name: string;
	path: string;
	kind: OutputSpecKind;
	when: "success" | "always";
	keepMs: number | null;
	to?: string;
}

export type OutputSpecKind = "model" | "dataset" | "report" | "file";

export interface DataRef {
	uri: string;
	sizeGiB: number | null;
	mount: string;
	residency: readonly string[];
}

export interface JobSpec {
	name: string;
	team: string;
	project: string | null;
	labels: Readonly<Record<string, string>>;
	class: JobClass;
	image: string | null;
	command: readonly string[];
	env: Readonly<Record<string, string>>;
	nodes: number;
	interconnect?: "high";
	resources: JobSpecResources;
	throughput?: Readonly<Record<string, number>>;
	scaling?: JobSpecScaling;
	duration: JobSpecDuration;
	deadlineMs: number | null;
	priority: number;
	critical: boolean;
	approvalAboveUsd?: number;
	checkpoint: JobSpecCheckpoint | null;
	data: readonly DataRef[];
	mounts?: readonly string[];
	outputs?: readonly OutputSpec[];
	user?: string;
}

export interface JobSpecResources {
	gpus: number;
	accelerators: readonly string[];
	cpus: number | null;
	memoryGiB: number | null;
	gpuMemoryGiB?: number;
	bf16?: boolean;
}

export interface JobSpecScaling {
	upTo: number;
	parallel?: number;
	curve?: readonly JobSpecScalingCurveItem[];
}

export interface JobSpecScalingCurveItem {
	gpus: number;
	speed: number;
}

export interface JobSpecDuration {
	estimateMs: number | null;
	maxMs: number | null;
}

export interface JobSpecCheckpoint {
	path: string;
	keep?: number;
	ranks?: "first" | "all";
	restore?: "all" | "own";
	intervalMs: number;
}

export interface JobDetail {
	id: string;
	name: string;
	team: string;
	project: string;
	class: JobClass;
	state: JobState;
	reason: Reason;
	priority: number;
	gpus: number;
	placement: Placement | null;
	attempts: number;
	submittedAt: string;
	pendingSince: string;
	startedAt: string | null;
	finishedAt: string | null;
	deadlineAt: string | null;
	cancelRequestedAt: string | null;
	forecast: TimeRange | null;
	estimateMs: number | null;
	completedMs: number;
	expected: JobExpected | null;
	costMicroUsd: string;
	emissionsGrams: number;
	synthetic: boolean;
	spec: JobSpec;
	submittedBy: string;
	attemptList: readonly Attempt[];
	instances: readonly Instance[];
	checkpoints: readonly Checkpoint[];
	imported: JobDetailImported | null;
	adoption: Adoption | null;
	/** The template and version that it was run from; null without one. */
	template: JobDetailTemplate | null;
}

export interface JobDetailImported {
	kind: "kubernetes" | "sbatch";
	findings: readonly Finding[];
	leftOut: number;
	isAsRead: boolean;
	readAt: string;
}

export interface JobDetailTemplate {
	id: string;
	name: string;
	version: number;
	/** The template was deleted since. */
	isDeleted: boolean;
}

export interface JobActionResult {
	id: string;
	done: boolean;
	ended: boolean | null;
	newJobId: string | null;
	priorityBefore: number | null;
	problem: JobActionResultProblem | null;
}

export interface JobActionResultProblem {
	code: string;
	message: string;
	fix: string | null;
}

export interface LogPage {
	attempt: number | null;
	attempts: number;
	lines: readonly LogPageLinesItem[];
	total: number;
	complete: boolean;
	jobEnded: boolean;
}

export interface LogPageLinesItem {
	number: number;
	at: string;
	stream: "stdout" | "stderr" | "spillway";
	text: string;
}

export interface Candidate {
	placement: Placement;
	offerId: string | null;
	instances: number;
	hourlyMicroUsd: string;
	start: TimeRange;
	finish: TimeRange;
	speed?: number;
	speedSource?: CandidateSpeedSource;
	staging?: CandidateStaging;
	copyAheadMs?: number;
	/** The site does not declare whether this pool has a high-bandwidth interconnect. */
	interconnectUnknown?: true;
	computeMicroUsd: string;
	egressMicroUsd: string;
	storageMicroUsd?: string;
	totalMicroUsd: string;
	cashMicroUsd: string;
	worstCaseMicroUsd: string;
	emissionsGrams: number | null;
	scoreMicroUsd: string;
	outcome: "removed" | "chosen" | "passes";
	removedBy: CandidateRemovedBy | null;
}

export type CandidateSpeedSource = "measured" | "declared" | "learned" | "prior";

export interface CandidateStaging {
	expectedMs: number;
	lowMs: number;
	highMs: number;
}

export interface CandidateRemovedBy {
	ruleId: string | null;
	why: CandidateRemovedByWhy;
	facts: Readonly<Record<string, boolean | string | number | null>>;
}

export type CandidateRemovedByWhy =
	| "site_denied"
	| "region_denied"
	| "region_not_allowed"
	| "family_denied"
	| "family_not_allowed"
	| "site_not_allowed"
	| "capacity_type_denied"
	| "capacity_type_required"
	| "residency"
	| "data_at_home"
	| "mount_missing"
	| "hardware_gpus"
	| "hardware_accelerator"
	| "hardware_cpus"
	| "hardware_memory"
	| "hardware_gpu_memory"
	| "hardware_bf16"
	| "hardware_interconnect"
	| "hardware_slice"
	| "too_slow"
	| "life_too_short"
	| "data_too_slow"
	| "price_missing"
	| "price_zero"
	| "price_stale"
	| "spot_not_cheaper"
	| "capacity_backoff"
	| "burst_not_due"
	| "budget_exceeded"
	| "approval_required"
	| "no_free_slots"
	| "site_unreachable"
	| "multi_node_unsupported"
	| "reserved_full"
	| "reserved_too_short"
	| "quota_exceeded"
	| "cap_exceeded"
	| "burst_cost_limit"
	| "burst_data_limit"
	| "deadline_needs_firm"
	| "spot_is_cheapest"
	| "spot_too_short"
	| "spot_worth_the_wait";

export type Outcome = "hold" | "place_home" | "launch" | "wait" | "fail";

export interface Decision {
	id: string;
	attemptNumber: number | null;
	reason: Reason;
	policy: DecisionPolicy;
	jobId: string;
	decidedAtMs: number;
	outcome: Outcome;
	verdict: "deny" | "allow" | "needs_approval";
	homeStart: TimeRange | null;
	candidates: readonly Candidate[];
	removed: readonly DecisionRemovedItem[];
	consideredCount: number;
}

export interface DecisionPolicy {
	name: string;
	version: number;
}

export interface DecisionRemovedItem {
	ruleId: string | null;
	why: CandidateRemovedByWhy;
	count: number;
	cheapest: Candidate;
}

export interface Replay {
	decisionId: string;
	decidedAtMs: number;
	policy: DecisionPolicy;
	same: boolean;
	recorded: ReplayRecorded;
	replayed: ReplayRecorded;
	difference: ReplayDifference | null;
	input: ReplayInput;
}

export interface ReplayRecorded {
	bytes: number;
	sha256: string;
}

export interface ReplayDifference {
	path: string;
	recorded: string;
	replayed: string;
}

export interface ReplayInput {
	pending: number;
	running: number;
	offers: number;
}

export interface ChangedField {
	path: readonly string[];
	value: string | number | Readonly<Record<string, string>> | readonly string[];
}

export interface JobChangeAccelerator {
	kind: "accelerator";
	accelerator: string;
}

export interface JobChangeDeadline {
	kind: "deadline";
	deadlineMs: number;
	laterMs: number;
}

export interface JobChangeCheckpoint {
	kind: "checkpoint";
	intervalMs: number;
}

export interface JobChangeOneNode {
	kind: "one_node";
	gpus: number;
}

export interface JobChangeHalf {
	kind: "half";
	nodes: number;
	gpus: number;
}

export interface JobChangeScale {
	kind: "scale";
	nodes: number;
	gpus: number;
	speedup: number;
}

export interface JobChangeMachine {
	kind: "machine";
	instanceType: string;
	cpus: number | null;
	memoryGiB: number | null;
}

export interface JobChangeMaxDuration {
	kind: "max_duration";
	maxMs: number;
}

export type JobChange =
	| JobChangeAccelerator
	| JobChangeDeadline
	| JobChangeCheckpoint
	| JobChangeOneNode
	| JobChangeHalf
	| JobChangeScale
	| JobChangeMachine
	| JobChangeMaxDuration;

export interface Suggestion {
	change: JobChange;
	fields: readonly ChangedField[];
	prospect: Prospect;
	startsEarlierMs: number | null;
	finishesEarlierMs: number | null;
	savesMicroUsd: string | null;
	sentence: string;
}

export interface WaitingChange {
	by: WaitingChangeBy;
	sentence: string;
}

export type WaitingChangeBy = "policy" | "money" | "time" | "people";

export interface Prospect {
	placement: Placement;
	start: TimeRange;
	finish: TimeRange;
	cashMicroUsd: string;
	deadlineRisk: number | null;
}

export interface Waiting {
	waits: boolean;
	state: JobState;
	reason: Reason;
	decidedAtMs: number | null;
	homeStart: TimeRange | null;
	position: WaitingPosition | null;
	expected: Prospect | null;
	considered: WaitingConsidered | null;
	changes: readonly WaitingChange[];
	suggestions: readonly Suggestion[];
}

export interface WaitingPosition {
	from: number;
	to: number;
	of: number;
}

export interface WaitingConsidered {
	candidates: readonly Candidate[];
	removed: readonly DecisionRemovedItem[];
	consideredCount: number;
}

export interface GpuStretch {
	atMs: number;
	utilisationPercent: number;
	powerWatts: number | null;
}

export interface AttemptGpuUse {
	attemptId: string;
	stretches: readonly GpuStretch[];
	measuredMinutes: number;
}

export interface JobGpuUse {
	stepMs: number;
	attempts: readonly AttemptGpuUse[];
}

export interface ReceiptAlternative {
	way: "spot" | "on_demand" | "at_home";
	placement: Placement;
	estimate: "same_machine_time_at_price_when_decided";
	costMicroUsd: string;
	storageMicroUsd: string | null;
	cashMicroUsd: string;
	startP50Ms: number;
	decidedAtMs: number;
	removedBy: CandidateRemovedBy | null;
}

export interface CarbonIntensity {
	milligramsPerGpuHour: string | null;
	milligramsPerJob: string | null;
}

export interface ReceiptTotals {
	gpuMs: string;
	costMicroUsd: string;
	listMicroUsd: string;
	energyMilliWh: string;
	measuredEnergyMilliWh: string;
	hourlyGridMilliWh: string;
	emissionsMilligrams: string | null;
	marketEmissionsMilligrams: string | null;
	embodiedMilligrams: string | null;
}

export interface ReceiptAttempt {
	attemptId: string;
	number: number;
	state: AttemptState;
	placement: Placement;
	lines: readonly ReceiptLine[];
	totals: ReceiptTotals;
}

export interface Receipt {
	jobId: string;
	attempts: readonly ReceiptAttempt[];
	totals: ReceiptTotals;
	electricity: ReceiptElectricity | null;
	carbon: CarbonIntensity;
	/** Storage and egress of the results, by result; they belong to no attempt. */
	results: readonly ReceiptLine[];
	/** Results that stores keep for the job; null: none. */
	kept: ReceiptKept | null;
	alternatives: readonly ReceiptAlternative[];
}

export interface ReceiptElectricity {
	hourly: ReceiptElectricityHourly | null;
	card: ReceiptElectricityHourly | null;
	sources: readonly string[];
}

export interface ReceiptElectricityHourly {
	ms: number;
	microUsdPerKwh: string;
}

export interface ReceiptKept {
	count: number;
	bytes: string;
	/** Storage cost per month at current prices. */
	microUsdPerMonth: string;
	/** Bytes in stores without a price; their cost is not included. */
	unpricedBytes: string;
	/** When the last of it is deleted; null: no time is set. */
	untilMs: number | null;
}

export interface MetricSeries {
	key: string;
	count: number;
	last: MetricSeriesLast;
	min: number;
	max: number;
	points: readonly MetricSeriesLast[];
}

export interface MetricSeriesLast {
	step: number;
	value: number;
	at: string;
}

export interface ForwardedRun {
	/** Id of a run that the job logged, or of the job itself for metrics of its output. */
	runId: string;
	/** The run in MLflow. */
	remoteRunId: string | null;
	/** Failed runs are tried again until a week after the job's end. */
	state: "pending" | "forwarded" | "failed";
	/** Why the last try failed. */
	error: string | null;
	retryAt: string | null;
	forwardedAt: string | null;
}

export interface ElectricityAhead {
	siteId: string;
	hours: number;
	hoursPriced: number;
	sources: readonly string[];
}

export interface ForecastScore {
	count: number;
	p50Covered: number;
	p90Covered: number;
}

export interface QuotedCandidate {
	placement: Placement;
	offerId: string | null;
	instances: number;
	hourlyMicroUsd: string;
	start: TimeRange;
	finish: TimeRange;
	speed?: number;
	speedSource?: CandidateSpeedSource;
	staging?: CandidateStaging;
	copyAheadMs?: number;
	/** The site does not declare whether this pool has a high-bandwidth interconnect. */
	interconnectUnknown?: true;
	computeMicroUsd: string;
	egressMicroUsd: string;
	storageMicroUsd?: string;
	totalMicroUsd: string;
	cashMicroUsd: string;
	worstCaseMicroUsd: string;
	emissionsGrams: number | null;
	scoreMicroUsd: string;
	outcome: "removed" | "chosen" | "passes";
	removedBy: CandidateRemovedBy | null;
	deadlineRisk: number | null;
}

export interface Quote {
	reason: Reason;
	candidates: readonly QuotedCandidate[];
	removed: readonly QuoteRemovedItem[];
	gpus: number;
	queue: QuoteQueue;
	runTime: TimeRange;
	expected: Prospect | null;
	suggestions: readonly Suggestion[];
	approval: QuoteApproval | null;
	forecastScore: ForecastScore | null;
	quoteScore: ForecastScore | null;
	electricity: readonly ElectricityAhead[];
	budgetFree: QuoteBudgetFree | null;
	policy: DecisionPolicy;
	decidedAtMs: number;
	outcome: Outcome;
	verdict: "deny" | "allow" | "needs_approval";
	homeStart: TimeRange | null;
	consideredCount: number;
}

export interface QuoteRemovedItem {
	ruleId: string | null;
	why: CandidateRemovedByWhy;
	count: number;
	cheapest: QuotedCandidate;
}

export interface QuoteQueue {
	jobs: number;
	gpus: number;
}

export interface QuoteApproval {
	role: "platform" | "data_scientist" | "finance";
	people: readonly string[];
	medianMs: number | null;
	answered: number;
	ruleId: string;
	sentence: string;
}

export interface QuoteBudgetFree {
	budgetId: string;
	freeMicroUsd: string;
	capMicroUsd: string;
}

export interface Import {
	kind: "kubernetes" | "sbatch";
	documents: readonly Readonly<Record<string, unknown>>[];
	findings: readonly Finding[];
	questions: number;
}

export interface SavedView {
	id: string;
	name: string;
	query: string;
	team: string | null;
	owner: string;
	isMine: boolean;
}

export interface PipelineQuote {
	kind: "Pipeline" | "Sweep";
	name: string;
	team: string;
	/** ISO 8601, UTC. */
	decidedAt: string;
	steps: number;
	runs: number;
	start: PipelineQuoteStart;
	finish: PipelineQuoteStart;
	deadlineAt: string | null;
	/** Chance of missing the deadline, 0 to 1; null without one. */
	deadlineRisk: number | null;
	/** Micro-dollars as a decimal text. */
	expectedMicroUsd: string;
	/** Micro-dollars as a decimal text. */
	maximumMicroUsd: string;
	emissionsGrams: number | null;
	/** Results of unknown size. The cost of moving them is not included. */
	unsizedResults: number;
	budgetMicroUsd: string | null;
	isWithinBudget: boolean;
	budgets: readonly PipelineQuoteBudgetsItem[];
	stepList: readonly PipelineQuoteStepListItem[];
}

export interface PipelineQuoteStart {
	/** ISO 8601, UTC. */
	p50: string;
	/** ISO 8601, UTC. */
	p90: string;
}

export interface PipelineQuoteBudgetsItem {
	budgetId: string;
	/** Micro-dollars as a decimal text. */
	maximumMicroUsd: string;
	/** Micro-dollars as a decimal text. */
	freeMicroUsd: string;
	/** Micro-dollars as a decimal text. */
	capMicroUsd: string;
	isEnough: boolean;
}

export interface PipelineQuoteStepListItem {
	name: string;
	needs: readonly string[];
	runs: number;
	outcome: Outcome;
	placement: Placement | null;
	start: PipelineQuoteStart;
	finish: PipelineQuoteStart;
	/** Median run time of its longest run, ms. */
	runMs: number;
	/** How much later it may end without delaying the end, ms. */
	slackMs: number;
	isCritical: boolean;
	/** Micro-dollars as a decimal text. */
	expectedMicroUsd: string;
	/** Micro-dollars as a decimal text. */
	maximumMicroUsd: string;
	emissionsGrams: number | null;
	/** Why the step would be held or could never run. */
	reason: string | null;
}

export interface StepCounts {
	waiting: number;
	submitted: number;
	succeeded: number;
	failed: number;
	skipped: number;
	cancelled: number;
}

export interface Pipeline {
	id: string;
	kind: "Pipeline" | "Sweep";
	name: string;
	team: string;
	project: string;
	state: PipelineState;
	steps: number;
	runs: number;
	counts: StepCounts;
	submittedBy: string;
	/** ISO 8601, UTC. */
	submittedAt: string;
	finishedAt: string | null;
	deadlineAt: string | null;
	budgetMicroUsd: string | null;
	/** Micro-dollars as a decimal text. */
	costMicroUsd: string;
	emissionsGrams: number;
}

export type PipelineState = "running" | "cancelling" | "succeeded" | "failed" | "cancelled";

export interface PipelineStep {
	name: string;
	needs: readonly string[];
	when: string | null;
	retry: number;
	runs: number;
	counts: StepCounts;
	running: number;
	startedAt: string | null;
	finishedAt: string | null;
	/** Micro-dollars as a decimal text. */
	costMicroUsd: string;
	emissionsGrams: number;
	/** Why it was skipped. */
	why: string | null;
	expectedRunMs: number;
}

export interface PipelineDetail {
	id: string;
	kind: "Pipeline" | "Sweep";
	name: string;
	team: string;
	project: string;
	state: PipelineState;
	steps: number;
	runs: number;
	counts: StepCounts;
	submittedBy: string;
	/** ISO 8601, UTC. */
	submittedAt: string;
	finishedAt: string | null;
	deadlineAt: string | null;
	budgetMicroUsd: string | null;
	/** Micro-dollars as a decimal text. */
	costMicroUsd: string;
	emissionsGrams: number;
	labels: Readonly<Record<string, string>>;
	parameters: Readonly<Record<string, string | number | boolean>>;
	parallel: number | null;
	/** The quote at submission; null for pipelines submitted before there were quotes. */
	quote: PipelineQuote | null;
	/** The trigger that started it. */
	triggerId: string | null;
	/** The template and version that it was run from; null without one. */
	template: JobDetailTemplate | null;
	stop: PipelineDetailStop | null;
	/** What is still held in budgets for runs that are to come. */
	reservedMicroUsd: string;
	stepList: readonly PipelineStep[];
}

export interface PipelineDetailStop {
	metric: string;
	goal: "minimize" | "maximize";
	rule: "median" | "halving" | "none";
	warmup: number;
	reduction: number;
	target: number | null;
}

export interface PipelineRun {
	index: number;
	name: string;
	step: string;
	values: Readonly<Record<string, string | number | boolean>>;
	state: PipelineRunState;
	job: PipelineRunJob | null;
	tries: number;
	exitCode: number | null;
	why: string | null;
	startedAt: string | null;
	finishedAt: string | null;
	/** Micro-dollars as a decimal text. */
	costMicroUsd: string;
}

export type PipelineRunState = "waiting" | "submitted" | "succeeded" | "failed" | "skipped" | "cancelled";

export interface PipelineRunJob {
	id: string;
	state: string;
}

export interface Trials {
	metric: string | null;
	goal: "minimize" | "maximize";
	metrics: readonly string[];
	/** Index of the best trial so far. */
	best: number | null;
	items: readonly TrialsItemsItem[];
}

export interface TrialsItemsItem {
	index: number;
	name: string;
	values: Readonly<Record<string, string | number | boolean>>;
	state: PipelineRunState;
	jobId: string | null;
	best: number | null;
	last: number | null;
	lastStep: number | null;
	/** Micro-dollars as a decimal text. */
	costMicroUsd: string;
	/** Why it was stopped early or skipped. */
	why: string | null;
}

export interface ImportedPipelines {
	kind: "argo" | "kubeflow";
	documents: readonly Readonly<Record<string, unknown>>[];
	findings: readonly Finding[];
	questions: number;
}

export interface Trigger {
	id: string;
	name: string;
	team: string;
	source: TriggerSourceCron | TriggerSourceData | TriggerSourceWebhook | TriggerSourceAfter;
	enabled: boolean;
	createdBy: string;
	createdAt: string;
	checkedAt: string | null;
	/** Next time of a schedule. */
	nextAt: string | null;
	/** Why it did not fire at its last check. */
	status: string | null;
	/** The last check failed. */
	failed: boolean;
	/** Newest first, at most ten. */
	firings: readonly TriggerFiringsItem[];
}

export interface TriggerSourceCron {
	kind: "cron";
	schedule: string;
	zone: string;
	missed: "skip" | "once" | "all";
}

export interface TriggerSourceData {
	kind: "data";
	uri: string;
	files: number | null;
	sizeGiB: number | null;
	quietMs: number;
	everyMs: number;
	existing: boolean;
}

export interface TriggerSourceWebhook {
	kind: "webhook";
	types: readonly string[];
}

export interface TriggerSourceAfter {
	kind: "after";
	pipeline: string;
	states: readonly string[];
}

export interface TriggerFiringsItem {
	key: string;
	at: string;
	/** What the firing saw. */
	saw: TriggerFiringsItemSaw;
	pipelineId: string | null;
	pipelineState: string | null;
	/** Everything that the firing bought. */
	costMicroUsd: string;
	/** Why no pipeline was started. */
	error: string | null;
}

export interface TriggerFiringsItemSaw {
	time: string;
	files?: number;
	bytes?: number;
	uri?: string;
	objects?: readonly string[];
	event?: TriggerFiringsItemSawEvent;
	pipeline?: PipelineRunJob;
	missed?: number;
}

export interface TriggerFiringsItemSawEvent {
	id: string;
	type: string;
	source: string;
	subject?: string;
}

export interface Template {
	id: string;
	name: string;
	team: string;
	kind: "Job" | "Pipeline" | "Sweep";
	description: string;
	version: number;
	savedBy: string;
	savedAt: string;
}

export interface TemplateDetail {
	id: string;
	name: string;
	team: string;
	kind: "Job" | "Pipeline" | "Sweep";
	description: string;
	version: number;
	savedBy: string;
	savedAt: string;
	currentVersion: number;
	parameters: readonly TemplateDetailParametersItem[];
	/** The file; null for callers without job:submit for the team. */
	source: string | null;
	/** Newest first, at most 50. */
	versions: readonly TemplateDetailVersionsItem[];
}

export interface TemplateDetailParametersItem {
	name: string;
	type: "text" | "number" | "boolean";
	/** null: a value is required. */
	default: string | number | boolean | null;
	/** The only allowed values; null: any value of the type. */
	choices: readonly (string | number | boolean)[] | null;
	description: string | null;
}

export interface TemplateDetailVersionsItem {
	version: number;
	description: string;
	savedBy: string;
	savedAt: string;
}

export interface TemplateQuote {
	version: number;
	/** Of a job; null for the other kinds. */
	job: Quote | null;
	/** Of a pipeline or sweep; null for a job. */
	pipeline: PipelineQuote | null;
}

export interface TemplateRun {
	/** Id of the job, pipeline or sweep. */
	id: string;
	kind: "Job" | "Pipeline" | "Sweep";
	name: string;
	version: number;
}

export interface PerformanceSums {
	models: number;
	failed: number;
	cancelled: number;
	waits: PerformanceTimes | null;
	timeToModel: PerformanceTimes | null;
	gpuHours: number;
	attempts: number;
	interruptions: number;
	lostGpuHours: LostGpuHours;
	gpuUtilisation: number | null;
	measuredGpuHours: number;
}

export interface LostGpuHours {
	failed: number;
	interrupted: number;
	evicted: number;
	lost: number;
	cancelled: number;
}

export interface PerformanceTimes {
	meanS: number;
	p50S: number;
	p95S: number;
}

export interface Performance {
	fromMs: number;
	toMs: number;
	zone: string;
	groupBy: PerformanceGroupBy;
	items: readonly PerformanceItemsItem[];
	totals: PerformanceSums;
	meters: readonly PerformanceMetersItem[];
}

export type PerformanceGroupBy = "team" | "project" | "class" | "accelerator" | "capacityType" | "site" | "day" | "month";

export interface PerformanceItemsItem {
	models: number;
	failed: number;
	cancelled: number;
	waits: PerformanceTimes | null;
	timeToModel: PerformanceTimes | null;
	gpuHours: number;
	attempts: number;
	interruptions: number;
	lostGpuHours: LostGpuHours;
	gpuUtilisation: number | null;
	measuredGpuHours: number;
	key: string;
}

export type PerformanceMetersItem = "agent" | "dcgm" | "nvidia_smi" | "simulated";

export interface GpuUseReading {
	node: string;
	gpus: number;
	utilisation: number;
}

export interface Artifact {
	id: string;
	jobId: string;
	attemptId: string;
	/** The MLflow run that logged the file; null for a declared output. */
	runId: string | null;
	team: string;
	name: string;
	kind: OutputSpecKind;
	files: number;
	bytes: number;
	/** SHA-256 over the sums and paths of all files: equal for equal content. */
	digest: string;
	createdAt: string;
	expiresAt: string | null;
	/** When the files were deleted; the record stays as lineage. */
	deletedAt: string | null;
	/** The team's store that has the files; null: the embedded one. */
	storeId: string | null;
	/** Storage cost per month at the store's current price; null: no price is set. */
	microUsdPerMonth: string | null;
	/** Copies to the places that the job names (`to`). */
	deliveries: readonly ArtifactDeliveriesItem[];
	fileList: readonly ArtifactFileListItem[];
}

export interface ArtifactDeliveriesItem {
	target: string;
	state: "pending" | "delivered" | "failed";
	failures: number;
	error: string | null;
	nextAt: string | null;
	deliveredAt: string | null;
}

export interface ArtifactFileListItem {
	path: string;
	bytes: number;
	sha256: string;
	mediaType: string;
}

export interface ArtifactLineage {
	artifactId: string;
	jobId: string;
	jobName: string;
	attempt: number;
	place: string;
	command: readonly string[];
	image: string | null;
	imageDigest: string | null;
	inputs: readonly ArtifactLineageInputsItem[];
	policyVersion: number | null;
	/** Of the attempt so far. */
	costMicroUsd: string;
	emissionsGrams: number | null;
	/** The newest 50 jobs that have it as data. */
	usedBy: readonly ArtifactLineageUsedByItem[];
}

export interface ArtifactLineageInputsItem {
	uri: string;
	digest: string | null;
}

export interface ArtifactLineageUsedByItem {
	jobId: string;
	name: string;
}

export interface SweptStray {
	providerInstanceId: string;
	region: string;
	instanceType: string;
	zone?: string | null;
	capacityType?: PlacementCapacityType;
	launchedAtMs?: number;
	sinceMs: number;
	goneMs: number | null;
}

export interface SweepRecord {
	atMs: number;
	regions: readonly string[];
	failedRegions: readonly SweepRecordFailedRegionsItem[];
	seen: number;
	owned: number;
	orphans: number;
	strays?: readonly SweptStray[];
}

export interface SweepRecordFailedRegionsItem {
	region: string;
	message: string;
	sinceMs?: number;
}

export interface Slot {
	slot: number;
	state: "busy" | "free" | "unavailable";
	jobId: string | null;
	jobName: string | null;
	team: string | null;
}

export interface PoolDetail {
	id: string;
	accelerator: string;
	nodes: number;
	nodesToCome: number;
	noneComes: boolean;
	gpusPerNode: number;
	gpus: number;
	busy: number;
	unavailable: number;
	microUsdPerGpuHour: string;
	speed: number;
	slots: readonly Slot[];
	holders: readonly PoolDetailHoldersItem[];
}

export interface PoolDetailHoldersItem {
	jobId: string;
	jobName: string;
	team: string;
	slots: readonly number[];
}

export interface Site {
	id: string;
	name: string;
	provider: PlacementProvider;
	kind: "owned" | "cloud";
	enabled: boolean;
	healthy: boolean;
	healthMessage: string | null;
	lastSeenAt: string | null;
	gpusBusy: number;
	gpusTotal: number | null;
	instancesLive: number;
	burnMicroUsdPerHour: string;
	regions: readonly string[];
	pools: readonly PoolDetail[];
	lastSweep: SweepRecord | null;
	lastOrphanAt: string | null;
}

export interface UnpricedPool {
	id: string;
	accelerator: string;
	nodes: number;
	gpusPerNode: number;
	nodesToCome?: number;
}

export interface CredentialSourceChain {
	kind: "chain";
}

export interface CredentialSourceStored {
	kind: "stored";
}

export interface CredentialSourceFile {
	kind: "file";
	path: string;
}

export interface CredentialSourceEnvironment {
	kind: "environment";
	name: string;
}

export type CredentialSource = CredentialSourceChain | CredentialSourceStored | CredentialSourceFile | CredentialSourceEnvironment;

export interface SiteSettings {
	id: string;
	name: string;
	provider: PlacementProvider;
	enabled: boolean;
	healthy: boolean;
	healthMessage: string | null;
	lastSeenAt: string | null;
	settings: Readonly<Record<string, unknown>>;
	credentials: SiteSettingsCredentials;
	unpricedPools: readonly UnpricedPool[];
}

export interface SiteSettingsCredentials {
	source: CredentialSource;
	changedAt: string | null;
}

export interface CheckStep {
	id: string;
	title: string;
	outcome: CheckStepOutcome;
	found: string;
	fix: string | null;
}

export type CheckStepOutcome = "failed" | "unknown" | "passed" | "skipped";

export interface LeastRights {
	title: string;
	language: string;
	text: string;
}

export interface SiteField {
	name: string;
	label: string;
	hint: string;
	input: SiteFieldInput;
	required: boolean;
	placeholder?: string;
	options?: readonly string[];
}

export type SiteFieldInput = "map" | "json" | "text" | "lines" | "text_or_map" | "secret" | "key_file";

export interface SiteKind {
	provider: PlacementProvider;
	title: string;
	owned: boolean;
	fields: readonly SiteField[];
	credentialFields: readonly SiteField[];
	withoutCredentials: string | null;
	leastRights: readonly LeastRights[];
	docs: string;
}

export interface PricedPool {
	siteId: string;
	poolId: string;
	accelerator: string;
	nodes: number;
	gpusPerNode: number;
	microUsdPerGpuHour: string;
	wattsPerGpu: number;
}

export interface QueuedForeignJob {
	id: string;
	name: string;
	user: string;
	partition: string;
	poolId: string | null;
	state: "held" | "running" | "waiting";
	waitingReason: string | null;
	nodes: number;
	gpus: number;
	position: number | null;
	submittedAt: string | null;
	startedAt: string | null;
	timeLimitMs: number | null;
	dependsOn: string | null;
	optedIn: boolean;
	adoption: QueuedForeignJobAdoption | null;
	notAdopted: readonly string[];
}

export interface QueuedForeignJobAdoption {
	id: string;
	state: AdoptionState;
	jobId: string;
	why: string | null;
	problem: string | null;
}

export interface ClusterNode {
	name: string;
	poolId: string | null;
	state: "ready" | "closed" | "down";
	reason: string | null;
	gpus: number;
	gpusUsed: number;
}

export interface NodePage {
	items: readonly ClusterNode[];
	nextCursor: string | null;
	counts: NodePageCounts;
}

export interface NodePageCounts {
	ready: number;
	closed: number;
	down: number;
}

export interface OfferDiscount {
	id: string;
	partsPerMillion: number;
	source: string;
}

export interface OfferDisk {
	type: string;
	gib: number;
	microUsdPerMonth: string | null;
	observedAt: string | null;
	source: string;
}

export interface Offer {
	id: string;
	siteId: string;
	provider: PlacementProvider;
	region: string;
	zone: string | null;
	instanceType: string;
	accelerator: string;
	gpus: number;
	vcpus: number;
	memoryGiB: number;
	capacityType: PlacementCapacityType;
	microUsdPerHour: string | null;
	microUsdPerGpuHour: string | null;
	priceObservedAt: string;
	priceStale: boolean;
	priceSource: string;
	disk: OfferDisk | null;
	quarantine: string | null;
	listMicroUsdPerHour: string | null;
	discount: OfferDiscount | null;
	quota: OfferQuota | null;
	reservedFree: number | null;
	commitmentId: string | null;
	backoffUntil: string | null;
	backoffReason: string | null;
	gridGramsPerKwh: number | null;
	prices: readonly OfferPricesItem[];
}

export interface OfferQuota {
	name: string;
	unit: "gpus" | "cores";
	limit: number;
	used: number;
	gpusFree: number;
}

export interface OfferPricesItem {
	atMs: number;
	microUsdPerHour: string;
}

export interface PriceSnapshot {
	source: string;
	provider: string;
	prices: number;
	from: string;
	to: string;
	importedBy: string;
	importedAt: string;
}

export interface DemandPoint {
	at: string;
	p10: number;
	p50: number;
	p90: number;
}

export interface DemandForecast {
	groupBy: DemandForecastGroupBy;
	learnedHours: number;
	ownedGpus: number;
	items: readonly DemandForecastItemsItem[];
	score: DemandForecastScore | null;
}

export type DemandForecastGroupBy = "total" | "team" | "class" | "accelerator";

export interface DemandForecastItemsItem {
	key: string;
	hasRange: boolean;
	points: readonly DemandPoint[];
}

export interface DemandForecastScore {
	forecasts: number;
	heldOutWeeks: number;
	p50Coverage: number;
	p90Coverage: number;
	weightedError: number;
	naiveWeightedError: number;
	change: number;
}

export interface ForecastScores {
	count: number;
	p50Covered: number;
	p90Covered: number;
	horizons: readonly HorizonScore[];
}

export interface HorizonScore {
	count: number;
	p50Covered: number;
	p90Covered: number;
	horizon: string;
	untilMs: number | null;
	censored: number;
	open: number;
}

export interface RiskItem {
	instanceId: string;
	jobId: string | null;
	why: RiskItemWhy;
	sinceMs: number;
	microUsd: string | null;
	isEstimate: boolean;
}

export type RiskItemWhy = "not_seen_gone" | "cut_off" | "launch_unclear" | "past_expiry" | "of_nobody";

export interface PolicyManagedBy {
	kind: "git";
	repository: string;
	path: string;
}

export interface PolicyName {
	name: string;
	activeVersion: number;
	managedBy: PolicyManagedBy | null;
}

export interface PolicyProblem {
	severity: "error" | "warning";
	line: number;
	column: number;
	message: string;
	fix: string | null;
}

export interface Segment {
	text: string;
	value?: boolean;
}

export interface Description {
	id: string;
	line: number | null;
	group: DescriptionGroup;
	sentence: readonly Segment[];
}

export type DescriptionGroup = "burst" | "move" | "defer" | "limit" | "remove" | "ask" | "room" | "prefer";

export interface Policy {
	name: string;
	version: number;
	etag: string;
	source: string;
	author: string;
	authorName: string;
	message: string;
	publishedAt: string;
	rolledBack: boolean;
	origin: PolicyOrigin | PolicyOriginGit | null;
	managedBy: PolicyManagedBy | null;
	rules: readonly Description[];
	sentences: readonly Description[];
	budgets: readonly PolicyBudgetsItem[];
	weights: PolicyWeights;
	warnings: readonly PolicyProblem[];
	versions: readonly PolicyVersionsItem[];
}

export interface PolicyOrigin {
	kind: PolicyOriginKind;
}

export type PolicyOriginKind = "browser" | "api" | "cli" | "seed";

export interface PolicyOriginGit {
	kind: "git";
	repository: string;
	commit: string;
	path: string;
}

export interface PolicyBudgetsItem {
	id: string;
	scope: string;
	period: string;
	capMicroUsd: string;
	atCap: string;
}

export interface PolicyWeights {
	delayMicroUsdPerHour: string;
	carbonMicroUsdPerTonne: string;
	pointsPerGpuHour: number;
}

export interface PolicyVersionsItem {
	version: number;
	author: string;
	authorName: string;
	message: string;
	createdAt: string;
}

export interface Published {
	outcome: "published" | "unchanged" | "proposed";
	version: number;
	proposalId: string | null;
	warnings: readonly PolicyProblem[];
}

export interface PolicyEffects {
	version: number;
	from: string;
	to: string;
	placements: number;
	truncated: boolean;
	rules: readonly PolicyEffectsRulesItem[];
}

export interface PolicyEffectsRulesItem {
	ruleId: string;
	jobs: number;
	places: number;
	changed: number;
	costMicroUsd: string | null;
	sent: number;
}

export interface Publication {
	id: string;
	kind: "publish" | "rollback";
	at: string;
	by: string;
	byName: string;
	approvedBy: string | null;
	approvedByName: string | null;
	backtestId: string | null;
	noBacktestReason: string | null;
}

export interface Version {
	version: number;
	author: string;
	authorName: string;
	message: string;
	createdAt: string;
	baseVersion: number | null;
	origin: PolicyOrigin | PolicyOriginGit | null;
	inForce: boolean;
	publications: readonly Publication[];
}

export interface VersionDetail {
	version: number;
	author: string;
	authorName: string;
	message: string;
	createdAt: string;
	baseVersion: number | null;
	origin: PolicyOrigin | PolicyOriginGit | null;
	inForce: boolean;
	publications: readonly Publication[];
	name: string;
	source: string;
	etag: string;
	sentences: readonly Description[] | null;
}

export interface LineRun {
	kind: "removed" | "added" | "same";
	oldLine: number;
	newLine: number;
	lines: readonly string[];
}

export interface PolicyChange {
	kind: PolicyChangeKind;
	id: string;
	group: DescriptionGroup;
	before: PolicyChangeBefore | null;
	after: PolicyChangeBefore | null;
}

export type PolicyChangeKind = "changed" | "removed" | "added" | "moved";

export interface PolicyChangeBefore {
	line: number | null;
	sentence: readonly Segment[];
}

export interface PolicyCheck {
	ok: boolean;
	problems: readonly PolicyProblem[];
	sentences: readonly Description[] | null;
	published: PolicyCheckPublished | null;
}

export interface PolicyCheckPublished {
	changes: readonly PolicyChange[] | null;
	lines: readonly LineRun[];
	version: number;
}

export interface MergeConflict {
	key: string;
	kind: MergeConflictKind;
	id: string | null;
	base: string | null;
	mine: string | null;
	theirs: string | null;
	message: string;
}

export type MergeConflictKind = "text" | "rule" | "budget" | "order";

export interface PolicySettings {
	secondPerson: boolean;
}

export interface PolicyDraft {
	source: string;
	baseVersion: number;
	updatedAt: string;
}

export interface BacktestPlace {
	place: string | null;
	waitMs: number | null;
	costMicroUsd: string;
	emissionsGrams: number | null;
	finishedAtMs: number | null;
	explanation: string;
}

export interface BacktestMove {
	jobId: string;
	name: string;
	team: string;
	class: JobClass;
	gpus: number;
	submittedAtMs: number;
	deadlineAtMs: number | null;
	published: BacktestPlace;
	draft: BacktestPlace;
}

export interface BacktestDay {
	date: string;
	cloudCostMicroUsd: string;
	meanWaitMs: number | null;
	missedDeadlines: number;
	emissionsGrams: number | null;
}

export interface BacktestSums {
	jobs: number;
	cloudCostMicroUsd: string;
	ownedGpuHours: number;
	cloudGpuHours: number;
	ownedUtilisation: number;
	meanWaitMs: number;
	p95WaitMs: number;
	missedDeadlines: number;
	egressGiB: number;
	emissionsGrams: number | null;
	waits: readonly BacktestSumsWaitsItem[];
	budgets: readonly BacktestSumsBudgetsItem[];
	days: readonly BacktestDay[];
	waitingAtEnd: number;
	runningAtEnd: number;
	askedForApproval: number;
	deadlines: number;
}

export interface BacktestSumsWaitsItem {
	team: string;
	class: JobClass;
	jobs: number;
	meanWaitMs: number;
}

export interface BacktestSumsBudgetsItem {
	id: string;
	periodKey: string;
	capMicroUsd: string;
	postedMicroUsd: string;
}

export interface BacktestResult {
	published: BacktestSums;
	draft: BacktestSums;
	moved: readonly BacktestMove[];
	movedCount: number;
	gaps: readonly string[];
	replayedJobs: number;
	replaySeconds: number;
}

export interface BacktestEstimate {
	fromMs: number;
	jobs: number;
	ofJobs: number;
	publishedCostMicroUsd: string;
	draftCostMicroUsd: string;
	costErrorMicroUsd: string | null;
	publishedMeanWaitMs: number;
	draftMeanWaitMs: number;
	waitErrorMs: number | null;
}

export interface Backtest {
	id: string;
	policyName: string;
	baseVersion: number;
	from: string;
	to: string;
	state: BacktestState;
	progressPermille: number;
	error: string | null;
	createdAt: string;
	createdBy: string;
	automatic: boolean;
	startedAt: string | null;
	finishedAt: string | null;
	source: string;
	estimate: BacktestEstimate | null;
	result: BacktestResult | null;
}

export type BacktestState = "failed" | "cancelled" | "queued" | "running" | "done";

export interface BacktestSummary {
	id: string;
	policyName: string;
	baseVersion: number;
	from: string;
	to: string;
	state: BacktestState;
	progressPermille: number;
	error: string | null;
	createdAt: string;
	createdBy: string;
	automatic: boolean;
	startedAt: string | null;
	finishedAt: string | null;
}

export interface ShadowChoice {
	outcome: ShadowChoiceOutcome;
	place: string | null;
	costMicroUsd: string;
	sentence: string;
}

export type ShadowChoiceOutcome = "home" | "held" | "cloud" | "waits" | "denied";

export interface Shadow {
	id: string;
	baseVersion: number;
	source: string;
	startedAt: string;
	startedBy: string;
	stoppedAt: string | null;
	decided: number;
	agreed: number;
	publishedMicroUsd: string;
	draftMicroUsd: string;
	differences: readonly ShadowDifferencesItem[];
}

export interface ShadowDifferencesItem {
	jobId: string;
	name: string;
	team: string;
	decidedAt: string;
	published: ShadowChoice;
	draft: ShadowChoice;
}

export interface Upload {
	id: string;
	name: string;
	bytes: number;
}

export interface PlanStudy {
	id: string;
	source: "records" | "upload" | "open";
	name: string;
	state: BacktestState;
	progressPermille: number;
	error: string | null;
	createdAt: string;
	createdBy: string;
	startedAt: string | null;
	finishedAt: string | null;
	result: PlanStudyResult | null;
}

export interface PlanStudyResult {
	assessment: PlanAssessmentDocument;
	comparison: PlanComparisonDocument;
	headline?: PlanHeadlineDocument;
}

export interface PlanAssessmentDocument {
	apiVersion: "spillway/v1";
	kind: "PlanAssessment";
}

export interface PlanComparisonDocument {
	apiVersion: "spillway/v1";
	kind: "PlanComparison";
	decision: PlanComparisonDocumentDecision;
}

export interface PlanComparisonDocumentDecision {
	verdict: "go" | "pilot" | "no_go";
	headline: string;
	summary: string;
}

export interface PlanHeadlineDocument {
	apiVersion: "spillway/v1";
	kind: "PlanHeadline";
}

export interface PlanStudySummary {
	id: string;
	source: "records" | "upload" | "open";
	name: string;
	state: BacktestState;
	progressPermille: number;
	error: string | null;
	createdAt: string;
	createdBy: string;
	startedAt: string | null;
	finishedAt: string | null;
}

export interface PlanStudyDemand {
	jobs: number;
	demand: PlanStudyDemandDemand;
	profile: PlanStudyDemandProfile | null;
	teams: readonly string[];
	classes: readonly string[];
	gpus: readonly string[];
}

export interface PlanStudyDemandDemand {
	meanGpus: number;
	peakGpus: number;
}

export interface PlanStudyDemandProfile {
	waits: PlanStudyDemandProfileWaits;
	candidates: readonly PlanStudyDemandProfileCandidatesItem[];
	candidatesLeftOut: number;
}

export interface PlanStudyDemandProfileWaits {
	bySize: readonly PlanStudyDemandProfileWaitsBySizeItem[];
}

export interface PlanStudyDemandProfileWaitsBySizeItem {
	name: string;
	jobs: number;
}

export interface PlanStudyDemandProfileCandidatesItem {
	team: string;
	label: string;
	score: number;
}

export interface PlanDecision {
	study: PlanStudySummary;
	sha256: string;
	verdict: "go" | "pilot" | "no_go";
	headline: string;
	summary: string;
	tests: readonly PlanDecisionTestsItem[];
	pilot: PlanDecisionPilot | null;
	recommended: string;
	options: readonly PlanDecisionOptionsItem[];
	assumptions: readonly PlanDecisionAssumptionsItem[];
	outcome: PlanDecisionOutcome | null;
}

export interface PlanDecisionTestsItem {
	about: "burst" | "buy";
	test: string;
	found: string;
	passed: boolean;
}

export interface PlanDecisionPilot {
	family: string;
	team: string;
	policy: string;
	weeks: number;
	capUsd: number;
	measure: readonly string[];
	stopWhen: readonly string[];
}

export interface PlanDecisionOptionsItem {
	id: string;
	label: string;
	ownedGpus: number;
	meanTimeToModelS: number | null;
	meanWaitS: number | null;
	cloudUsd: number;
	totalUsd: number;
	npvUsd: number;
}

export interface PlanDecisionAssumptionsItem {
	name: string;
	value: string;
	source: string;
}

export interface PlanDecisionOutcome {
	expected: PlanDecisionOutcomeExpected;
	months: readonly PlanDecisionOutcomeMonthsItem[];
}

export interface PlanDecisionOutcomeExpected {
	label: string;
	meanTimeToModelS: number | null;
	meanWaitS: number | null;
	cloudUsd: number;
}

export interface PlanDecisionOutcomeMonthsItem {
	month: string;
	isPart: boolean;
	models: number;
	meanTimeToModelS: number | null;
	meanWaitS: number | null;
	cloudUsd: number;
}

export interface JobSpend {
	fromMs: number;
	toMs: number;
	zone: string;
	groupBy: "job";
	items: readonly JobSpendItemsItem[];
	nextCursor: string | null;
}

export interface JobSpendItemsItem {
	key: string;
	name: string;
	team: string;
	project: string;
	class: string;
	state: string;
	totalMicroUsd: string;
	listMicroUsd: string;
	billedMicroUsd: string;
	gpuMs: string;
	energyMilliWh: string;
	emissionsMilligrams: string;
	charges: number;
}

export interface RatesUsed {
	currency: string;
	from: string | null;
	to: string | null;
	sources: readonly string[];
}

export interface ConvertedSpend {
	ownedMicro: string;
	idleMicro: string;
	cloudMicro: string;
	totalMicro: string;
}

export interface Spend {
	fromMs: number;
	toMs: number;
	zone: string;
	groupBy: SpendGroupBy;
	items: readonly SpendItemsItem[];
	totals: SpendTotals;
	rates?: RatesUsed;
}

export type SpendGroupBy =
	| "site"
	| "project"
	| "class"
	| "provider"
	| "region"
	| "accelerator"
	| "kind"
	| "month"
	| "team"
	| "day"
	| "week"
	| "capacityType";

export interface SpendItemsItem {
	ownedMicroUsd: string;
	idleMicroUsd: string;
	cloudMicroUsd: string;
	totalMicroUsd: string;
	spotMicroUsd: string;
	onDemandMicroUsd: string;
	reservedMicroUsd: string;
	gpuMs: string;
	ownedGpuMs: string;
	cloudGpuMs: string;
	spotGpuMs: string;
	onDemandGpuMs: string;
	reservedGpuMs: string;
	idleGpuMs: string;
	energyMilliWh: string;
	emissionsMilligrams: string;
	key: string;
	converted?: ConvertedSpend;
}

export interface SpendTotals {
	ownedMicroUsd: string;
	idleMicroUsd: string;
	cloudMicroUsd: string;
	totalMicroUsd: string;
	spotMicroUsd: string;
	onDemandMicroUsd: string;
	reservedMicroUsd: string;
	gpuMs: string;
	ownedGpuMs: string;
	cloudGpuMs: string;
	spotGpuMs: string;
	onDemandGpuMs: string;
	reservedGpuMs: string;
	idleGpuMs: string;
	energyMilliWh: string;
	emissionsMilligrams: string;
	converted?: ConvertedSpend;
}

export interface Variance {
	after: VarianceAfter;
	before: VarianceAfter;
	beforeMicroUsd: string;
	afterMicroUsd: string;
	byCause: VarianceByCause;
	parts: readonly VariancePartsItem[];
	sentence: string | null;
}

export interface VarianceAfter {
	fromMs: number;
	toMs: number;
}

export interface VarianceByCause {
	started: string;
	ended: string;
	hours: string;
	capacity: string;
	place: string;
	price: string;
	lost: string;
	idle: string;
	other: string;
}

export interface VariancePartsItem {
	cause: VariancePartsItemCause;
	team: string;
	project: string;
	microUsd: string;
	beforeGpuMs: string;
	afterGpuMs: string;
}

export type VariancePartsItemCause = "started" | "ended" | "hours" | "capacity" | "place" | "price" | "lost" | "idle" | "other";

export interface ClosedVersion {
	month: string;
	team: string;
	version: number;
}

export interface Cut {
	atMs: number;
	statement: ClosedVersion | null;
}

export interface ChargeTotals {
	gpuMs: string;
	listMicroUsd: string;
	contractedMicroUsd: string;
	effectiveMicroUsd: string;
	billedMicroUsd: string;
	energyMilliWh: string;
	measuredEnergyMilliWh: string;
	hourlyGridMilliWh: string;
	emissionsMilligrams: string;
	embodiedMilligrams: string;
	emissionsUnknownGpuMs: string;
	embodiedUnknownGpuMs: string;
	charges: string;
}

export interface ChargeDimensions {
	team: string;
	project: string;
	class: ChargeDimensionsClass;
	siteId: string;
	provider: PlacementProvider;
	region: string;
	capacityType: PlacementCapacityType;
	accelerator: string;
	kind: ChargeDimensionsKind;
}

export type ChargeDimensionsClass = "" | "burst" | "baseline" | "experimental" | "sensitive" | "batch_inference";

export type ChargeDimensionsKind =
	| "compute"
	| "idle"
	| "egress"
	| "storage"
	| "adjustment"
	| "boot"
	| "staging"
	| "commitment"
	| "credit"
	| "tax"
	| "kept_warm";

export interface ChargePage {
	fromMs: number;
	toMs: number;
	zone: string;
	items: readonly ChargeLine[];
	nextCursor: string | null;
	totals: ChargeTotals;
	asOf: Cut | null;
	since: Cut | null;
	later: ChargePageLater | null;
	budget: ChargePageBudget | null;
	may: ChargePageMay;
}

export interface ChargePageLater {
	effectiveMicroUsd: string;
	charges: string;
}

export interface ChargePageBudget {
	id: string;
	postedMicroUsd: string;
}

export interface ChargePageMay {
	refund: boolean;
}

export interface Refund {
	chargeId: string;
	refundedMicroUsd: string;
	leftMicroUsd: string;
}

export interface LedgerCheck {
	checkedAtMs: number;
	tookMs: number;
	ok: boolean;
	charges: number;
	differenceCount: number;
	differences: readonly LedgerCheckDifferencesItem[];
}

export interface LedgerCheckDifferencesItem {
	granularity: string;
	bucketStartMs: number;
	dimensions: string;
	column: string;
	rollup: string;
	charges: string;
}

export interface CarbonSums {
	gpuMs: string;
	energyMilliWh: string;
	measuredEnergyMilliWh: string;
	hourlyGridMilliWh: string;
	operationalMilligrams: string;
	embodiedMilligrams: string;
	emissionsUnknownGpuMs: string;
	embodiedUnknownGpuMs: string;
	owned: SideSums;
	idle: SideSums;
	cloud: SideSums;
	totalMilligrams: string;
	marketMilligrams: string;
	marketUnknownGpuMs: string;
}

export interface SideSums {
	gpuMs: string;
	energyMilliWh: string;
	measuredEnergyMilliWh: string;
	hourlyGridMilliWh: string;
	operationalMilligrams: string;
	embodiedMilligrams: string;
	emissionsUnknownGpuMs: string;
	embodiedUnknownGpuMs: string;
}

export interface Carbon {
	fromMs: number;
	toMs: number;
	zone: string;
	groupBy: SpendGroupBy;
	items: readonly CarbonItemsItem[];
	totals: CarbonSums;
}

export interface CarbonItemsItem {
	gpuMs: string;
	energyMilliWh: string;
	measuredEnergyMilliWh: string;
	hourlyGridMilliWh: string;
	operationalMilligrams: string;
	embodiedMilligrams: string;
	emissionsUnknownGpuMs: string;
	embodiedUnknownGpuMs: string;
	owned: SideSums;
	idle: SideSums;
	cloud: SideSums;
	totalMilligrams: string;
	marketMilligrams: string;
	marketUnknownGpuMs: string;
	key: string;
}

export interface CarbonVariance {
	after: VarianceAfter;
	before: VarianceAfter;
	beforeMilligrams: string;
	afterMilligrams: string;
	byCause: CarbonVarianceByCause;
	parts: readonly CarbonVariancePartsItem[];
	sentence: string | null;
}

export interface CarbonVarianceByCause {
	started: string;
	ended: string;
	hours: string;
	place: string;
	power: string;
	grid: string;
	embodied: string;
	lost: string;
	idle: string;
	other: string;
}

export interface CarbonVariancePartsItem {
	cause: CarbonVariancePartsItemCause;
	team: string;
	project: string;
	milligrams: string;
	beforeGpuMs: string;
	afterGpuMs: string;
}

export type CarbonVariancePartsItemCause =
	| "started"
	| "ended"
	| "hours"
	| "place"
	| "power"
	| "grid"
	| "embodied"
	| "lost"
	| "idle"
	| "other";

export interface Comparison {
	gpuMs: string;
	actualMilligrams: string;
	counterfactualMilligrams: string;
	avoidedMilligrams: string;
	against: "home" | "removed_offer";
	calculation: string;
	jobs: number | null;
}

export interface AvoidedEmissions {
	fromMs: number;
	toMs: number;
	home: Comparison | null;
	removedOffer: Comparison | null;
}

export interface GridCell {
	hourMs: number;
	gramsPerKwh: number | null;
	basis: "hour" | "forecast" | "average";
}

export interface GridPlace {
	siteId: string;
	name: string;
	provider: PlacementProvider;
	region: string;
	zone: string | null;
	pue: number | null;
	averageGramsPerKwh: number | null;
	averageYear: number | null;
	meanGramsPerKwh: number | null;
	hadWork: boolean;
	cells: readonly GridCell[];
}

export interface Grid {
	dayStartMs: number;
	places: readonly GridPlace[];
}

export interface ImportedIntensity {
	zones: readonly ImportedIntensityZonesItem[];
	added: number;
	replaced: number;
	kept: number;
	unchanged: number;
	note: string;
}

export interface ImportedIntensityZonesItem {
	zone: string;
	hours: number;
	fromMs: number;
	toMs: number;
}

export interface SpendForecast {
	lowMicroUsd: string;
	expectedMicroUsd: string;
	highMicroUsd: string;
	samples: number;
}

export interface BudgetStatus {
	id: string;
	scope: string;
	period: "month" | "quarter" | "year";
	periodKey: string;
	periodStartMs: number;
	periodEndMs: number;
	atCap: "hold" | "checkpoint-and-return" | "terminate";
	capMicroUsd: string;
	postedMicroUsd: string;
	heldMicroUsd: string;
	freeMicroUsd: string;
	forecast: SpendForecast | null;
}

export interface PastPeriod {
	periodKey: string;
	fromMs: number;
	toMs: number;
	postedMicroUsd: string;
	capMicroUsd: string | null;
}

export interface BudgetDetail {
	id: string;
	scope: string;
	period: "month" | "quarter" | "year";
	periodKey: string;
	periodStartMs: number;
	periodEndMs: number;
	atCap: "hold" | "checkpoint-and-return" | "terminate";
	capMicroUsd: string;
	postedMicroUsd: string;
	heldMicroUsd: string;
	freeMicroUsd: string;
	forecast: SpendForecast | null;
	policyVersion: number;
	sentence: string;
	days: readonly BudgetDetailDaysItem[];
	ahead: readonly BudgetDetailAheadItem[];
	machines: number;
	teams: readonly BudgetDetailTeamsItem[];
	otherTeamsMicroUsd: string;
	seesAllTeams: boolean;
	jobs: readonly BudgetDetailJobsItem[];
	history: readonly PastPeriod[];
}

export interface BudgetDetailDaysItem {
	dayStartMs: number;
	postedMicroUsd: string;
}

export interface BudgetDetailAheadItem {
	atMs: number;
	lowMicroUsd: string;
	expectedMicroUsd: string;
	highMicroUsd: string;
}

export interface BudgetDetailTeamsItem {
	team: string;
	postedMicroUsd: string;
}

export interface BudgetDetailJobsItem {
	jobId: string;
	name: string;
	team: string;
	state: string;
	postedMicroUsd: string;
}

export interface BudgetOutlook2 {
	lowMicroUsd: string;
	expectedMicroUsd: string;
	highMicroUsd: string;
	heldMicroUsd: string;
	teams: readonly BudgetOutlook2TeamsItem[];
	others: BudgetOutlook2Others | null;
}

export interface BudgetOutlook2TeamsItem {
	team: string;
	unchangedMicroUsd: string;
	lowMicroUsd: string;
	expectedMicroUsd: string;
	highMicroUsd: string;
	demand: BudgetOutlook2TeamsItemDemand | null;
}

export interface BudgetOutlook2TeamsItemDemand {
	p10: number;
	p50: number;
	p90: number;
}

export interface BudgetOutlook2Others {
	unchangedMicroUsd: string;
	lowMicroUsd: string;
	expectedMicroUsd: string;
	highMicroUsd: string;
}

export type BudgetOutlook = BudgetOutlook2 | null;

export interface CapChangedChanged {
	kind: "changed";
	policyVersion: number;
	fromMicroUsd: string;
	toMicroUsd: string;
}

export interface CapChangedProposed {
	kind: "proposed";
	proposalId: string;
	fromMicroUsd: string;
	toMicroUsd: string;
}

export type CapChanged = CapChangedChanged | CapChangedProposed;

export type SecondPersonOf = "policies" | "budgets";

export interface SecondPersonOff {
	id: string;
	message: string;
	proposedBy: string;
	proposedAt: string;
	decision: "approved" | "rejected" | "withdrawn" | null;
	decidedBy: string | null;
	decidedAt: string | null;
	mine: boolean;
	kind: "second_person_off";
	secondPersonOf: SecondPersonOf;
}

export interface PolicyProposal {
	id: string;
	message: string;
	proposedBy: string;
	proposedAt: string;
	decision: "approved" | "rejected" | "withdrawn" | null;
	decidedBy: string | null;
	decidedAt: string | null;
	mine: boolean;
	kind: "policy_publish";
	policyName: string;
	source: string;
	rollbackTo: number | null;
	origin: PolicyOrigin | PolicyOriginGit | null;
	backtestId: string | null;
	noBacktestReason: string | null;
	stale: boolean;
	policyVersion: number;
}

export interface CapProposal {
	id: string;
	message: string;
	proposedBy: string;
	proposedAt: string;
	decision: "approved" | "rejected" | "withdrawn" | null;
	decidedBy: string | null;
	decidedAt: string | null;
	mine: boolean;
	kind: "budget_cap";
	budgetId: string;
	added: CapProposalAdded | null;
	fromMicroUsd: string;
	toMicroUsd: string;
	stale: boolean;
	policyVersion: number;
}

export interface CapProposalAdded {
	scope: string;
	period: "month" | "quarter" | "year";
}

export type Proposal = CapProposal | PolicyProposal | SecondPersonOff;

export interface ApprovalQuote {
	placement: Placement;
	costMicroUsd: string;
	hourlyMicroUsd: string;
	startP50Ms: number;
	homeStartP50Ms: number | null;
	emissionsGrams: number | null;
	decisionId: string | null;
}

export interface Approval {
	id: string;
	state: ApprovalState;
	job: ApprovalJob;
	ruleId: string;
	condition: string | null;
	policyName: string;
	policyVersion: number;
	role: "platform" | "data_scientist" | "finance";
	quote: ApprovalQuote;
	requestedAt: string;
	expiresAt: string;
	upToMicroUsd: string | null;
	decidedBy: string | null;
	decidedAt: string | null;
	note: string | null;
	mine: boolean;
	mayAnswer: boolean;
	budget: QuoteBudgetFree | null;
}

export type ApprovalState = "open" | "withdrawn" | "granted" | "refused" | "expired";

export interface ApprovalJob {
	id: string;
	name: string;
	team: string;
	class: JobClass;
	gpus: number;
	state: JobState;
	reason: Reason;
	submittedBy: string;
	submittedAt: string;
	deadlineAt: string | null;
}

export interface ApprovalOutlook {
	role: "platform" | "data_scientist" | "finance";
	people: readonly string[];
	medianMs: number | null;
	answered: number;
}

export interface DecidedApproval {
	id: string;
	jobId: string;
	state: "granted" | "refused";
	upToMicroUsd: string | null;
}

export interface Alert {
	id: string;
	rule: AlertRule;
	subject: string;
	team: string | null;
	title: string;
	text: string;
	facts: Readonly<Record<string, string | number | null>>;
	openedAt: string;
	closedAt: string | null;
	sent: readonly AlertSentItem[];
}

export type AlertRule =
	| "budget_threshold"
	| "budget_forecast_overrun"
	| "spend_anomaly"
	| "money_at_risk"
	| "billed_unknown"
	| "ledger_mismatch"
	| "audit_chain_broken"
	| "approval_waiting"
	| "delivery_failing"
	| "site_unhealthy"
	| "no_leader"
	| "job_stuck"
	| "sweep_failing"
	| "credential_expiring"
	| "rates_missing";

export interface AlertSentItem {
	channel: string;
	state: "failed" | "pending" | "sent";
}

export interface Channel {
	id: string;
	name: string;
	kind: ChannelKind;
	target: string;
	problem: string | null;
	topics: readonly string[];
	team: string | null;
	pipeline: string | null;
	digest: "immediate" | "hourly" | "daily";
	enabled: boolean;
	createdAt: string;
}

export type ChannelKind = "email" | "slack" | "teams" | "webhook" | "cloudevents";

export interface Delivery {
	id: string;
	channelId: string;
	channelName: string;
	channelKind: string;
	about: string;
	title: string;
	state: "failed" | "pending" | "sent";
	tries: number;
	triesMax: number;
	lastError: string | null;
	createdAt: string;
	sentAt: string | null;
	nextTryAt: string | null;
}

export interface PoolMonth {
	from: string;
	to: string;
	depreciationMicroUsd: string;
	rackMicroUsd: string;
	networkMicroUsd: string;
	supportMicroUsd: string;
	staffMicroUsd: string;
	hours: number;
	hoursPriced: number;
	electricitySources: readonly string[];
	busyMicroUsdPerGpuHour: string;
	idleMicroUsdPerGpuHour: string;
}

export interface RateCard {
	id: string;
	effectiveFrom: string;
	card: RateCardCard;
	message: string;
	author: string;
	createdAt: string;
}

export interface RateCardCard {
	assets: readonly RateCardCardAssetsItem[];
	power: RateCardCardPower;
	perYear: RateCardCardPerYear;
}

export interface RateCardCardAssetsItem {
	id: string;
	name: string;
	inServiceOn: string;
	priceUsd: string;
	residualUsd: string;
	lifeMonths: number;
	method: RateCardCardAssetsItemMethodStraightLine | RateCardCardAssetsItemMethodDecliningBalance;
	embodiedKg: string | null;
	source: string | null;
}

export interface RateCardCardAssetsItemMethodStraightLine {
	kind: "straight_line";
}

export interface RateCardCardAssetsItemMethodDecliningBalance {
	kind: "declining_balance";
	ratePerYear: string;
}

export interface RateCardCardPower {
	busyWattsPerGpu: string;
	idleWattsPerGpu: string;
	pue: string;
	electricityUsdPerKwh: string;
	contractGramsPerKwh: string | null;
	electricityHours?: readonly RateCardCardPowerElectricityHoursItem[];
	measured?: RateCardCardPowerMeasured;
}

export interface RateCardCardPowerElectricityHoursItem {
	fromHour: number;
	toHour: number;
	usdPerKwh: string;
	days?: readonly RateCardCardPowerElectricityHoursItemDaysItem[];
}

export type RateCardCardPowerElectricityHoursItemDaysItem = "mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun";

export interface RateCardCardPowerMeasured {
	kwh: string;
	from: string;
	to: string;
}

export interface RateCardCardPerYear {
	rackUsd: string;
	networkUsd: string;
	supportUsd: string;
	staffUsd: string;
}

export interface PoolRates {
	siteId: string;
	poolId: string;
	accelerator: string;
	gpus: number;
	flatMicroUsdPerGpuHour: string;
	current: RateCard | null;
	month: PoolMonth | null;
	history: readonly RateCard[];
}

export interface RateCardSet {
	corrections: number;
	correctedMicroUsd: string;
	id: string;
	effectiveFrom: string;
}

export interface MeasuredPowerSet {
	corrections: number;
	correctedMicroUsd: string;
	estimatedKwh: string;
	cards: readonly MeasuredPowerSetCardsItem[];
}

export interface MeasuredPowerSetCardsItem {
	effectiveFrom: string;
	busyWattsPerGpu: string;
	idleWattsPerGpu: string;
}

export interface ElectricityHour {
	from: string;
	usdPerKwh: string;
	source: string;
}

export interface ElectricityPricesSet {
	corrections: number;
	correctedMicroUsd: string;
	from: string;
	to: string;
	added: number;
	replaced: number;
	unchanged: number;
}

export interface Commitment {
	id: string;
	siteId: string;
	kind: "commitment" | "reservation";
	region: string | null;
	instanceType: string;
	zone: string | null;
	reservation: string | null;
	accelerator: string;
	instances: number;
	upfrontMicroUsd: string;
	hourlyMicroUsd: string;
	from: string;
	to: string;
}

export interface Discount {
	id: string;
	siteId: string;
	capacityType: "spot" | "on_demand";
	percent: string;
	instanceFamilies: readonly string[];
	regions: readonly string[];
	from: string;
	to: string | null;
	source: string;
	offersNow: number;
}

export interface ExchangeRate {
	currency: string;
	date: string;
	rate: string;
	units: string;
	usd: string;
	source: string;
	importedBy: string;
	importedAt: string;
}

export interface SharedDataSet {
	uri: string;
	/** Place of the store. */
	at: string;
	/** Jobs that read it there from elsewhere in the last 30 days. */
	jobs: number;
	/** Egress of these reads, as held. */
	egressMicroUsd: number;
	/** Egress that a copy would save while it is fresh, for at most 30 days. */
	savedMicroUsd: number;
	/** Egress and storage of the copy in that time; null: no storage price. */
	costMicroUsd: number | null;
	isWorth: boolean;
	/** Whether the store makes such copies by itself. */
	share: boolean;
	/** Pays for the egress of the copy. */
	team: string;
}

export interface DataCache {
	/** Id of an owned site. */
	at: string;
	/** Size limit; null: sets are deleted after 7 days without use. */
	limitGiB: number | null;
	/** Listed data sets. */
	sets: readonly DataCacheSetsItem[];
	/** Data sets that are not listed. */
	otherSets: number;
	otherBytes: number;
}

export interface DataCacheSetsItem {
	uri: string;
	bytes: number;
	usedAtMs: number;
}

export interface StoredCopy {
	uri: string;
	at: string;
	/** Team of the job that last requested it. */
	team: string | null;
	/** Size in the store. */
	bytes: number | null;
	/** Storage cost per month at the store's price; null: not known. */
	microUsdPerMonth: string | null;
	/** When a job last requested it. */
	usedAtMs: number;
	/** When it is deleted, unless a job requests it; null while a live job names it. */
	deletedAtMs: number | null;
	/** Time of the data that it contains completely. */
	asOfMs: number | null;
	/** Place that it is copied from; null: copied by an earlier release, from an owned site. */
	from: string | null;
	copying: boolean;
	error: string | null;
}

export interface DataSets {
	items: readonly DataSetsItemsItem[];
	stores: readonly DataSetsStoresItem[];
	stored: readonly StoredCopy[];
	/** Listed data sets in the caches of owned sites, at most about a minute old. */
	cached: readonly DataSetsCachedItem[];
	caches: readonly DataCache[];
	sharing: readonly SharedDataSet[];
	inbound: readonly DataSetsInboundItem[];
}

export interface DataSetsItemsItem {
	uri: string;
	copies: readonly DataSetsItemsItemCopiesItem[];
	freshDays?: number;
}

export interface DataSetsItemsItemCopiesItem {
	at: string;
	uri: string;
	readUri?: string;
}

export interface DataSetsStoresItem {
	at: string;
	uri: string;
	writeUri?: string;
	usdPerGiBMonth?: number;
	share?: boolean;
}

export interface DataSetsCachedItem {
	/** Id of an owned site. */
	at: string;
	uris: readonly string[];
}

export interface DataSetsInboundItem {
	from: string;
	place: string;
	mibPerS: number;
	lowMiBPerS: number;
	highMiBPerS: number;
	transfers: number;
	newestAtMs: number | null;
}

export interface StorePrice {
	/** Per GiB and calendar month; null: no price is set. */
	microUsdPerGiBMonth: string | null;
	/** Per GiB that leaves the store; null: no price is set. */
	microUsdPerGiBEgress: string | null;
	/** Since when it holds; null: no price was ever set. */
	effectiveFrom: string | null;
}

export interface Store {
	id: string;
	team: string;
	name: string;
	kind: StoreKind;
	address: string;
	/** Region or owned site; null when it was not entered. */
	place: string | null;
	/** New results and checkpoints of the team go here. */
	isDefault: boolean;
	/** Machines exchange bytes with the store; otherwise through the control plane. */
	direct: boolean;
	price: StorePrice;
	createdAt: string;
	checkedAt: string | null;
	/** What failed in the latest check. */
	problem: string | null;
}

export type StoreKind = "s3" | "gcs" | "azblob" | "webdav" | "folder";

export interface ChangedSince {
	deltaMicroUsd: string;
	charges: number;
}

export interface StatementMonth {
	month: string;
	fromMs: number;
	toMs: number;
	state: StatementMonthState;
	ledgerMicroUsd: string;
	closed: StatementMonthClosed | null;
}

export type StatementMonthState = "open" | "to_close" | "closed" | "changed" | "signed";

export interface StatementMonthClosed {
	version: number;
	totalMicroUsd: string;
	ownedMicroUsd: string;
	cloudMicroUsd: string;
	closedAt: string;
	signedBy: readonly string[];
	changedSince: ChangedSince | null;
}

export interface SentTo {
	sent: number;
	pending: number;
	failed: number;
	lastAt: string | null;
}

export interface StatementCheck {
	key: StatementCheckKey;
	ok: boolean | null;
	offMicroUsd: string;
}

export type StatementCheckKey = "lines_add_up" | "projects_add_up" | "teams_add_up" | "bills_explained";

export interface StatementDifference {
	section: StatementDifferenceSection;
	key: string;
	beforeMicroUsd: string | null;
	afterMicroUsd: string | null;
	deltaMicroUsd: string;
}

export type StatementDifferenceSection = "project" | "team" | "budget" | "line" | "waste" | "saving" | "bill" | "total";

export interface Signature {
	accountId: string;
	name: string;
	role: "platform" | "data_scientist" | "finance";
	signedAt: string;
	closedItToo: boolean;
}

export interface StatementVersion {
	version: number;
	sha256: string;
	closedAt: string;
	closedBy: string;
	correction: string | null;
	totalMicroUsd: string;
	signatures: readonly Signature[];
	differences: readonly StatementDifference[];
}

export interface StatementBill {
	provider: string;
	resources: number;
	unknown: number;
	estimatedMicroUsd: string;
	billedMicroUsd: string;
	adjustedMicroUsd: string;
	unexplainedMicroUsd: string;
	note: string | null;
}

export interface StatementBudget {
	id: string;
	scope: string;
	period: "month" | "quarter" | "year";
	periodKey: string;
	capMicroUsd: string;
	postedMicroUsd: string;
	varianceMicroUsd: string;
	note: string | null;
}

export interface StatementCarbon {
	operationalMilligrams: string;
	marketMilligrams: string;
	embodiedMilligrams: string;
	energyMilliWh: string;
	measuredEnergyMilliWh: string;
	hourlyGridMilliWh: string;
	unknownGpuMs: string;
	marketUnknownGpuMs: string;
	embodiedUnknownGpuMs: string;
}

export interface StatementItem {
	project: string;
	line: StatementItemLine;
	provider: PlacementProvider;
	capacityType: PlacementCapacityType;
	accelerator: string;
	sums: StatementSums;
}

export type StatementItemLine =
	| "owned"
	| "idle"
	| "spot"
	| "on_demand"
	| "reserved"
	| "kept_warm"
	| "egress"
	| "storage"
	| "commitment"
	| "credit"
	| "tax"
	| "adjustment";

export interface StatementSums {
	effectiveMicroUsd: string;
	billedMicroUsd: string;
	listMicroUsd: string;
	gpuMs: string;
	energyMilliWh: string;
	emissionsMilligrams: string;
}

export interface StatementContent {
	month: string;
	team: string;
	version: number;
	replaces: string | null;
	fromMs: number;
	toMs: number;
	zone: string;
	postedUntilMs: number;
	postedUntilNumber?: number;
	ledgerFromMs?: number;
	variance?: StatementContentVariance;
	inCurrency?: StatementContentInCurrency;
	charges: number;
	totals: StatementSums;
	previousTotals: StatementSums | null;
	sides: readonly StatementContentSidesItem[];
	lines: readonly StatementContentLinesItem[];
	byTeam: readonly StatementContentByTeamItem[];
	byProject: readonly StatementContentByTeamItem[];
	items: readonly StatementItem[];
	topJobs: readonly StatementContentTopJobsItem[];
	savings: readonly StatementContentSavingsItem[];
	waste: readonly StatementContentWasteItem[];
	carbon: StatementCarbon;
	budgets: readonly StatementBudget[];
	bills: readonly StatementBill[];
}

export interface StatementContentVariance {
	sentence: string | null;
	beforeMicroUsd: string;
	afterMicroUsd: string;
	causes: readonly StatementContentVarianceCausesItem[];
}

export interface StatementContentVarianceCausesItem {
	cause: VariancePartsItemCause;
	microUsd: string;
}

export interface StatementContentInCurrency {
	currency: string;
	rates: readonly StatementContentInCurrencyRatesItem[];
	totalMicro: string;
	sides: readonly StatementContentInCurrencySidesItem[];
	lines: readonly StatementContentInCurrencyLinesItem[];
	byTeam: readonly StatementContentInCurrencyByTeamItem[];
	byProject: readonly StatementContentInCurrencyByTeamItem[];
}

export interface StatementContentInCurrencyRatesItem {
	date: string;
	units: string;
	usd: string;
	source: string;
}

export interface StatementContentInCurrencySidesItem {
	key: "owned" | "cloud";
	micro: string;
}

export interface StatementContentInCurrencyLinesItem {
	key: StatementItemLine;
	micro: string;
}

export interface StatementContentInCurrencyByTeamItem {
	key: string;
	micro: string;
}

export interface StatementContentSidesItem {
	key: "owned" | "cloud";
	sums: StatementSums;
	previous: StatementSums | null;
}

export interface StatementContentLinesItem {
	key: StatementItemLine;
	sums: StatementSums;
	previous: StatementSums | null;
}

export interface StatementContentByTeamItem {
	key: string;
	sums: StatementSums;
}

export interface StatementContentTopJobsItem {
	jobId: string;
	name: string;
	team: string;
	state: string;
	sums: StatementSums;
}

export interface StatementContentSavingsItem {
	key: "spot_against_on_demand" | "home_against_cloud" | "burst_against_waiting";
	microUsd: string | null;
	hours: string | null;
	reckoned: string;
}

export interface StatementContentWasteItem {
	key: StatementContentWasteItemKey;
	microUsd: string;
	gpuMs: string;
}

export type StatementContentWasteItemKey = "failed" | "interrupted" | "cancelled" | "idle";

export interface Statement {
	content: StatementContent;
	currencyProblem: string | null;
	state: StatementMonthState;
	over: boolean;
	shown: StatementVersion | null;
	intact: boolean | null;
	changedSince: ChangedSince | null;
	versions: readonly StatementVersion[];
	checks: readonly StatementCheck[];
	others: readonly StatementOthersItem[];
	sent: SentTo;
	may: StatementMay;
}

export interface StatementOthersItem {
	team: string;
	state: StatementMonthState;
	totalMicroUsd: string;
}

export interface StatementMay {
	close: boolean;
	sign: boolean;
	note: boolean;
	readBills: boolean;
}

export interface ClosedMonth {
	month: string;
	written: readonly ClosedMonthWrittenItem[];
	unchanged: readonly string[];
}

export interface ClosedMonthWrittenItem {
	id: string;
	team: string;
	version: number;
	sha256: string;
}

export interface BillDetail {
	id: string;
	fileName: string;
	sha256: string;
	focusVersion: string;
	providers: readonly string[];
	months: readonly string[];
	rows: number;
	repeatedRows: number;
	billedMicroUsd: string;
	importedAt: string;
	importedBy: string;
	reconciledAt: string | null;
	columns: readonly string[];
}

export interface Bill {
	id: string;
	fileName: string;
	sha256: string;
	focusVersion: string;
	providers: readonly string[];
	months: readonly string[];
	rows: number;
	repeatedRows: number;
	billedMicroUsd: string;
	importedAt: string;
	importedBy: string;
	reconciledAt: string | null;
}

export interface ReconciledResource {
	provider: string;
	resourceId: string;
	instanceId: string | null;
	billId: string | null;
	state: ReconciledResourceState;
	estimatedMicroUsd: string;
	billedMicroUsd: string;
	adjustedMicroUsd: string;
	facts: Readonly<Record<string, string | number | null>>;
}

export type ReconciledResourceState = "matched" | "not_billed" | "billed_unknown" | "price_variance" | "time_variance";

export interface ReconciledProvider {
	provider: string;
	estimatedMicroUsd: string;
	billedMicroUsd: string;
	adjustedMicroUsd: string;
	unexplainedMicroUsd: string;
	resources: ReconciledProviderResources;
}

export interface ReconciledProviderResources {
	billed_unknown: number;
	matched: number;
	not_billed: number;
	price_variance: number;
	time_variance: number;
}

export interface Reconciliation {
	month: string;
	reconciledAt: string | null;
	providers: readonly ReconciledProvider[];
	items: readonly ReconciledResource[];
	truncated: boolean;
}

export interface PostedByBills {
	provider: string;
	what: "corrections" | "invoice_items";
	charges: number;
	effectiveMicroUsd: string;
	billedMicroUsd: string;
}

export interface ReconciliationRun {
	at: string;
	since: string | null;
	by: string;
	byName: string | null;
	final: boolean;
	posted: readonly PostedByBills[];
}

export interface ReconciliationHistory {
	month: string;
	runs: readonly ReconciliationRun[];
	truncated: boolean;
}

export interface ResourceLines {
	items: readonly ResourceLine[];
	effectiveMicroUsd: string;
	truncated: boolean;
}

export interface ChainHead {
	sequence: number;
	hash: string;
	sealedAt: string;
}

export interface ChainState {
	head: ChainHead | null;
	lastCheck: ChainStateLastCheck | null;
}

export interface ChainStateLastCheck {
	checkedAtMs: number;
	verified: ChainStateLastCheckVerified;
	fullAtMs: number;
	broken: ChainStateLastCheckBroken | null;
	sentence: string | null;
}

export interface ChainStateLastCheckVerified {
	sequence: number;
	hash: string;
}

export interface ChainStateLastCheckBroken {
	kind: ChainStateLastCheckBrokenKind;
	sequence: number | null;
	auditId: number | null;
}

export type ChainStateLastCheckBrokenKind =
	| "changed_line"
	| "changed_seal"
	| "missing_line"
	| "missing_seal"
	| "unsealed_line"
	| "sealed_twice"
	| "cut_tail";

export interface ChainPosition {
	sequence: number;
	hash: string;
}

export interface ChainBreak {
	kind: ChainStateLastCheckBrokenKind;
	sequence: number | null;
	auditId: number | null;
}

export interface Secret {
	team: string;
	name: string;
	source: CredentialSourceStored | CredentialSourceFile | SecretSourceVault;
	version: number;
	createdAt: string;
	changedAt: string;
	changedBy: string;
	lastUsedAt: string | null;
}

export interface SecretSourceVault {
	kind: "vault";
	path: string;
	key: string;
}

export interface Token {
	id: string;
	name: string;
	owner: TokenOwner;
	scopes: readonly string[] | null;
	/** Its jobs need approval above this estimated cost; null: no limit. */
	approvalAboveUsd: number | null;
	createdAt: string;
	expiresAt: string | null;
	lastUsedAt: string | null;
}

export interface TokenOwner {
	id: string;
	name: string;
	service: boolean;
}

export interface Account {
	id: string;
	email: string;
	name: string;
	/** The built-in role; for a custom role, the one that it restricts. */
	role: "platform" | "data_scientist" | "finance";
	customRole: string | null;
	teams: readonly string[];
	kind: "person" | "service" | "demo";
	hasPassword: boolean;
	disabledAt: string | null;
	invitedUntil: string | null;
	identities: readonly AccountIdentitiesItem[];
}

export interface AccountIdentitiesItem {
	id: string;
	issuer: string;
	subject: string;
	email: string;
	linkedAt: string | null;
	lastSignInAt: string | null;
}

export interface Role {
	name: string;
	/** The built-in role that it restricts; null: it is built in. */
	base: "platform" | "data_scientist" | "finance" | null;
	permissions: readonly string[];
	/** Accounts with this role, disabled ones included. */
	accounts: number;
}

export interface Notifications {
	/** The account's address; mail goes nowhere else. */
	email: string;
	events: readonly NotificationsEventsItem[];
	/** Minutes in which events are collected for one mail. */
	digestMinutes: number;
	/** The newest mail, or null. */
	lastMail: NotificationsLastMail | null;
}

export type NotificationsEventsItem = "finished" | "failed" | "needs_approval" | "over_forecast" | "reclaimed";

export interface NotificationsLastMail {
	title: string;
	state: "pending" | "sent" | "failed";
	at: string;
	error: string | null;
}

export interface Team {
	name: string;
	title: string | null;
	costCenter: string | null;
	parent: string | null;
	members: number;
}

export interface GroupMapping {
	group: string;
	role: "platform" | "data_scientist" | "finance" | null;
	customRole: string | null;
	team: string | null;
	source: "settings" | "process";
}

export interface CompanyChange {
	kind: CompanyChangeKind;
	/** Name, address or id. */
	id: string;
	action: "create" | "update" | "remove";
	/** Values as JSON; null: absent. Secrets are shown as changed only. */
	fields: readonly CompanyChangeFieldsItem[];
}

export type CompanyChangeKind =
	| "company"
	| "team"
	| "role"
	| "group"
	| "person"
	| "site"
	| "store"
	| "data"
	| "rate_card"
	| "policy"
	| "template"
	| "trigger"
	| "channel";

export interface CompanyChangeFieldsItem {
	field: string;
	before: string | null;
	after: string | null;
}

export type JobCreateOutput = SubmittedJob | SubmittedJobs;

export interface JobListOutput {
	items: readonly Job[];
	nextCursor: string | null;
}

export interface JobCancelOutput {
	state: JobState;
}

export interface JobActOutput {
	items: readonly JobActionResult[];
}

export interface JobResumeOutput {
	afterAttempt: number;
}

export interface JobReadLogsLine2 {
	end: true;
}

export interface JobReadLogsLine3 {
	attempt: number;
	number: number;
	at: string;
	stream: string;
	text: string;
}

export type JobReadLogsLine = JobReadLogsLine2 | JobReadLogsLine3;

export interface JobDecisionsOutput {
	items: readonly Decision[];
	nextCursor: null;
}

export interface JobMetricsOutput {
	items: readonly MetricSeries[];
	nextCursor: null;
}

export interface JobMlflowOutput {
	items: readonly ForwardedRun[];
	nextCursor: null;
}

export interface ViewListOutput {
	items: readonly SavedView[];
	nextCursor: null;
}

export interface ViewDeleteOutput {
	id: string;
}

export interface PipelineCreateOutput {
	id: string;
	state: "running";
	kind: "Pipeline" | "Sweep";
	name: string;
	runs: number;
}

export interface PipelineListOutput {
	items: readonly Pipeline[];
	nextCursor: string | null;
}

export interface PipelineRunsOutput {
	items: readonly PipelineRun[];
	/** Send it as after to get the next page; null on the last. */
	next: number | null;
}

export interface PipelineCancelOutput {
	id: string;
	state: PipelineState;
}

export interface PipelineRetryOutput {
	id: string;
	state: PipelineState;
	runs: number;
}

export interface TriggerCreateOutput {
	id: string;
	name: string;
	nextAt: string | null;
	secret: string | null;
}

export interface TriggerListOutput {
	items: readonly Trigger[];
	nextCursor: null;
}

export interface TriggerEnableOutput {
	id: string;
	enabled: boolean;
}

export interface TriggerRemoveOutput {
	id: string;
}

export interface TemplateListOutput {
	items: readonly Template[];
	nextCursor: null;
}

export interface TemplateSaveOutput {
	id: string;
	name: string;
	team: string;
	version: number;
}

export interface TemplateRemoveOutput {
	id: string;
}

export interface ArtifactListOutput {
	items: readonly Artifact[];
	nextCursor: null;
}

export interface ArtifactDeliverOutput {
	retried: number;
}

export interface ArtifactCreateLinkOutput {
	url: string;
	expiresAt: string;
}

export interface ArtifactDeleteOutput {
	id: string;
	deleted: true;
}

export interface SiteListOutput {
	items: readonly Site[];
	nextCursor: null;
}

export interface SiteKindsOutput {
	items: readonly SiteKind[];
	nextCursor: null;
}

export interface SiteRemoveOutput {
	id: string;
	removed: true;
}

export interface SiteQueueOutput {
	items: readonly QueuedForeignJob[];
	total: number;
	readAt: string | null;
	nextCursor: null;
}

export interface InstanceListOutput {
	items: readonly Instance[];
	nextCursor: string | null;
}

export interface OfferListOutput {
	items: readonly Offer[];
	total: number;
	accelerators: readonly string[];
	seenAt: string | null;
	nextCursor: null;
}

export interface OfferSnapshotsOutput {
	items: readonly PriceSnapshot[];
	nextCursor: null;
}

export interface OfferImportPricesOutput {
	providers: readonly string[];
	from: string;
	to: string;
	added: number;
	replaced: number;
	unchanged: number;
	older: number;
	ignored: number;
}

export interface ForecastScoreOutput {
	count: number;
	p50Covered: number;
	p90Covered: number;
	horizons: readonly HorizonScore[];
	quotes: ForecastScores;
}

export interface OverviewMoneyAtRiskOutput {
	totalMicroUsd: string;
	items: readonly RiskItem[];
}

export interface SearchFindOutput {
	items: readonly SearchFindOutputItemsItem[];
	nextCursor: null;
}

export interface SearchFindOutputItemsItem {
	kind: SearchFindOutputItemsItemKind;
	id: string;
	name: string;
	detail: string;
	href: string;
	live: boolean;
	actions: readonly ("approve" | "cancel")[];
}

export type SearchFindOutputItemsItemKind =
	| "job"
	| "approval"
	| "pipeline"
	| "trigger"
	| "team"
	| "person"
	| "policy"
	| "rule"
	| "budget"
	| "site"
	| "machine"
	| "month"
	| "doc";

export interface PolicyNamesOutput {
	items: readonly PolicyName[];
	nextCursor: null;
}

export interface PolicyVersionsOutput {
	items: readonly Version[];
	nextBefore: number | null;
}

export interface PolicyDiffOutput {
	changes: readonly PolicyChange[] | null;
	lines: readonly LineRun[];
	from: number;
	to: number | null;
}

export interface PolicyMergeOutput {
	text: string;
	conflicts: readonly MergeConflict[];
	baseVersion: number;
}

export interface PolicyUnmanageOutput {
	wasManagedBy: PolicyManagedBy | null;
}

export interface PolicyChangeSettingsOutput {
	secondPerson: boolean;
	proposalId: string | null;
}

export interface DraftSaveOutput {
	updatedAt: string;
}

export type DraftDiscardOutput = Readonly<Record<string, unknown>>;

export interface BacktestListOutput {
	items: readonly BacktestSummary[];
	nextCursor: null;
}

export interface PlanListOutput {
	items: readonly PlanStudySummary[];
	nextCursor: null;
}

export type SpendByOutput = Spend | JobSpend;

export type SpendVarianceOutput = Variance | null;

export interface LedgerGetOutput {
	zone: string;
	lastCheck: LedgerCheck | null;
}

export interface LedgerSetZoneOutput {
	zone: string;
}

export type CarbonVarianceOutput = CarbonVariance | null;

export interface BudgetListOutput {
	items: readonly BudgetStatus[];
	nextCursor: null;
}

export interface ApprovalProposalsOutput {
	items: readonly Proposal[];
	nextCursor: null;
}

export interface ApprovalApproveProposalOutput {
	policyVersion: number | null;
}

export interface ApprovalRejectProposalOutput {
	decision: "rejected" | "withdrawn";
}

export interface ApprovalListOutput {
	items: readonly Approval[];
	nextCursor: string | null;
}

export interface ApprovalAskAgainOutput {
	id: string;
}

export interface AlertListOutput {
	items: readonly Alert[];
	nextCursor: string | null;
}

export interface ChannelListOutput {
	items: readonly Channel[];
	nextCursor: null;
}

export interface ChannelCreateOutput {
	id: string;
	signingKey: string | null;
}

export interface ChannelUpdateOutput {
	id: string;
}

export interface ChannelRemoveOutput {
	id: string;
}

export interface ChannelTestOutput {
	deliveryId: string;
}

export interface ChannelDeliveriesOutput {
	items: readonly Delivery[];
	nextCursor: string | null;
}

export interface RatesListOutput {
	items: readonly PoolRates[];
	nextCursor: null;
}

export interface RatesElectricityPricesOutput {
	items: readonly ElectricityHour[];
	nextCursor: null;
}

export interface RatesCommitmentsOutput {
	items: readonly Commitment[];
	nextCursor: null;
}

export interface RatesSetCommitmentsOutput {
	items: readonly Commitment[];
	nextCursor: null;
}

export interface RatesDiscountsOutput {
	items: readonly Discount[];
	nextCursor: null;
}

export interface RatesSetDiscountsOutput {
	items: readonly Discount[];
	nextCursor: null;
}

export interface CurrencyGetOutput {
	currency: string;
	currencies: readonly CurrencyGetOutputCurrenciesItem[];
}

export interface CurrencyGetOutputCurrenciesItem {
	currency: string;
	rates: number;
	from: string;
	to: string;
}

export interface CurrencySetOutput {
	currency: string;
}

export interface CurrencyRatesOutput {
	items: readonly ExchangeRate[];
	nextCursor: null;
}

export interface CurrencyImportRatesOutput {
	currencies: readonly string[];
	from: string;
	to: string;
	added: number;
	replaced: number;
	unchanged: number;
}

export interface StoreListOutput {
	stores: readonly Store[];
	embeddedPrice: StorePrice;
	teams: readonly StoreListOutputTeamsItem[];
}

export interface StoreListOutputTeamsItem {
	team: string;
	bytes: number;
	results: number;
	quotaGiB: number | null;
	keepDays: number | null;
}

export interface StoreCheckOutput {
	steps: readonly StoreCheckOutputStepsItem[];
	problem: string | null;
}

export interface StoreCheckOutputStepsItem {
	title: string;
	problem: string | null;
}

export interface StoreRemoveOutput {
	id: string;
}

export interface StoreLimitsOutput {
	team: string;
	quotaGiB: number | null;
	keepDays: number | null;
}

export interface StatementListOutput {
	team: string | null;
	teams: readonly string[];
	items: readonly StatementMonth[];
	closing: StatementListOutputClosing;
	nextCursor: null;
}

export interface StatementListOutputClosing {
	day: number;
	mayChange: boolean;
}

export interface StatementSignOutput {
	version: number;
	sha256: string;
	signedAt: string;
}

export interface BillImportOutput {
	bill: BillDetail;
	alreadyImported: boolean;
}

export interface BillListOutput {
	items: readonly Bill[];
	nextCursor: null;
}

export interface AuditListOutput {
	items: readonly AuditLine[];
	nextCursor: string | null;
}

export interface AuditVerifyLine2 {
	seals: number;
}

export interface AuditVerifyLine3 {
	result: AuditVerifyLine3Result;
}

export interface AuditVerifyLine3Result {
	broken: ChainBreak | null;
	verified: ChainPosition;
	seals: number;
	headFound: boolean | null;
	sentence: string | null;
}

export type AuditVerifyLine = AuditVerifyLine2 | AuditVerifyLine3;

export interface SecretListOutput {
	items: readonly Secret[];
	nextCursor: null;
}

export interface SecretSetOutput {
	team: string;
	name: string;
	version: number;
}

export interface SecretDeleteOutput {
	team: string;
	name: string;
}

export interface TokenListOutput {
	items: readonly Token[];
	nextCursor: null;
}

export interface TokenCreateOutput {
	id: string;
	token: string;
	expiresAt: string;
}

export interface TokenRevokeOutput {
	id: string;
}

export interface AccountUpdateOutput {
	id: string;
}

export interface AccountListOutput {
	items: readonly Account[];
	nextCursor: null;
}

export interface AccountCreateOutput {
	id: string;
}

export interface AccountInviteOutput {
	id: string;
}

export interface AccountDisableOutput {
	id: string;
}

export interface AccountEnableOutput {
	id: string;
}

export interface AccountLinkIdentityOutput {
	id: string;
}

export interface AccountRejectIdentityOutput {
	id: string;
}

export interface RoleListOutput {
	items: readonly Role[];
	nextCursor: null;
}

export interface RoleCreateOutput {
	name: string;
}

export interface RoleUpdateOutput {
	name: string;
}

export interface RoleDeleteOutput {
	name: string;
}

export interface TeamListOutput {
	items: readonly Team[];
	nextCursor: null;
}

export interface TeamCreateOutput {
	name: string;
}

export interface TeamUpdateOutput {
	name: string;
}

export interface TeamDeleteOutput {
	name: string;
}

export interface GroupMappingListOutput {
	mappings: readonly GroupMapping[];
	teamPrefix: string;
	seen: readonly GroupMappingListOutputSeenItem[];
}

export interface GroupMappingListOutputSeenItem {
	group: string;
	people: number;
	isMapped: boolean;
}

export interface GroupMappingRemoveOutput {
	group: string;
}

export interface GroupMappingCheckOutput {
	role: "platform" | "data_scientist" | "finance" | null;
	customRole: string | null;
	teams: readonly string[];
	missingTeams: readonly string[];
	unmapped: readonly string[];
}

export interface SetupGetOutput {
	isStarted: boolean;
	steps: SetupGetOutputSteps;
	zone: string;
	teams: readonly string[];
	clusters: readonly string[];
	clouds: readonly string[];
	stores: readonly string[];
}

export interface SetupGetOutputSteps {
	company: "open" | "done" | "skipped";
	team: "open" | "done" | "skipped";
	cluster: "open" | "done" | "skipped";
	cloud: "open" | "done" | "skipped";
	store: "open" | "done" | "skipped";
	policy: "open" | "done" | "skipped";
	test: "open" | "done" | "skipped";
}

export interface SetupCompanyOutput {
	zone: string;
}

export interface SetupSkipOutput {
	step: SetupSkipOutputStep;
}

export type SetupSkipOutputStep = "company" | "team" | "cluster" | "cloud" | "store" | "policy" | "test";

export interface SetupPolicyOutput {
	source: string;
	check: PolicyCheck;
}

export interface CompanyPlanOutput {
	changes: readonly CompanyChange[];
	skipped: readonly string[];
	hash: string;
}

export interface CompanyApplyOutput {
	applied: readonly CompanyChange[];
	skipped: readonly string[];
}

export interface ReceiptLine {
	kind: ChargeDimensionsKind;
	causeId: string;
	fromMs: number;
	toMs: number;
	status: "posted" | "metered";
	gpuMs: string;
	costMicroUsd: string;
	listMicroUsd: string;
	energyMilliWh: string;
	emissionsMilligrams: string | null;
}

export interface ChargeLine {
	id: string;
	periodStartMs: number;
	periodEndMs: number;
	dimensions: ChargeDimensions;
	jobId: string | null;
	attemptId: string | null;
	instanceId: string | null;
	allocationId: string | null;
	poolId: string | null;
	billLineId: string | null;
	artifactId: string | null;
	correction: ChargeLineCorrection | null;
	gpuMs: string;
	listMicroUsd: string;
	contractedMicroUsd: string;
	effectiveMicroUsd: string;
	billedMicroUsd: string;
	energyMilliWh: string;
	measuredEnergyMilliWh: string;
	hourlyGridMilliWh: string;
	emissionsMilligrams: string | null;
	marketEmissionsMilligrams: string | null;
	embodiedMilligrams: string | null;
	jobName: string | null;
	cause: ChargeLineCause;
}

export type ChargeLineCorrection =
	| "end_learnt_late"
	| "use_learnt_late"
	| "price_learnt_late"
	| "bill_price"
	| "bill_time"
	| "bill_unknown"
	| "rate_card"
	| "refund";

export interface ChargeLineCause {
	kind: ChargeLineCauseKind;
	id: string;
}

export type ChargeLineCauseKind = "instance" | "allocation" | "pool" | "bill_line" | "artifact";

export interface ResourceLine {
	id: string;
	billId: string;
	fileName: string;
	rowNumber: number;
	chargeCategory: string;
	chargeClass: string | null;
	description: string | null;
	periodStartMs: number;
	periodEndMs: number;
	effectiveMicroUsd: string;
	listMicroUsd: string;
	billedMicroUsd: string;
	restated: boolean;
}

export interface AuditLine {
	id: number;
	at: string;
	actor: string;
	actorName: string | null;
	action: string;
	subject: string;
	before: unknown;
	after: unknown;
	requestId: string | null;
	via: "session" | "token" | null;
	source: string | null;
	seal: ChainPosition | null;
}

export interface JobDocument {
	/** Always spillway/v1. */
	apiVersion: "spillway/v1";
	/** Always Job. */
	kind: "Job";
	/** Name, team, project and labels. */
	metadata: JobDocumentMetadata;
	/** What to run and what it needs. */
	spec: JobDocumentSpec;
}

export interface JobDocumentMetadata {
	/** 1 to 63 letters, digits, dots, underscores or dashes. */
	name: string;
	/** The team that pays. */
	team: string;
	/** Groups cost in reports. */
	project?: string;
	/** Available to policies and filters. */
	labels?: Readonly<Record<string, string | "">>;
}

export interface JobDocumentSpec {
	/** Workload class. Policies treat classes differently. */
	class?: JobClass;
	/** Container image. The local site runs the command without one. */
	image?: string;
	/** Program and arguments. No shell is added. */
	command: readonly string[];
	/** Environment variables. */
	env?: Readonly<Record<string, string | number | boolean>>;
	/** Secrets of the team, as variables or files. */
	secrets?: readonly JobDocumentSpecSecretsItem[];
	/** Machines that start together. */
	nodes?: number;
	/** high: several nodes start only where a high-bandwidth network connects them. */
	interconnect?: "any" | "high";
	/** GPUs, CPUs and memory on each node. */
	resources?: JobDocumentSpecResources;
	/** Relative speed by accelerator: work per hour, in the same unit for all entries. */
	throughput?: Readonly<Record<string, number>>;
	/** How the run time depends on the number of GPUs. Quotes suggest other sizes by it. */
	scaling?: JobDocumentSpecScaling;
	/** Expected and maximum run time. */
	duration?: JobDocumentSpecDuration;
	/** When the job must be finished. Requires a time zone. */
	deadline?: string;
	/** 0 to 100. Higher runs first. */
	priority?: number;
	/** Fails over to another site or region when its own stops responding. */
	critical?: boolean;
	/** Finance approves each cloud placement that is estimated to cost more. */
	approvalAboveUsd?: number;
	/** Events that are mailed to the submitter's address. An empty list turns them off. */
	notify?: readonly NotificationsEventsItem[];
	/** The job saves checkpoints and resumes from the latest one after an interruption. */
	checkpoint?: JobDocumentSpecCheckpoint;
	/** Data sets that are copied to the job. */
	data?: readonly JobDocumentSpecDataItem[];
	/** Existing file systems of the site, by name. Places without them are excluded. */
	mounts?: readonly string[];
	/** Results that are uploaded when an attempt ends. */
	outputs?: readonly JobDocumentSpecOutputsItem[];
	/** Patterns of output lines that report metrics, such as step {step} loss={loss}; or json. */
	metrics?: readonly string[];
}

export interface JobDocumentSpecSecretsItem {
	/** Name of a secret of the job's team. */
	name: string;
	/** Environment variable that receives the value. */
	env?: string;
	/** File name in SPILLWAY_SECRETS_DIR that contains the value. Exactly one of env and file is required. */
	file?: string;
}

export interface JobDocumentSpecResources {
	/** Whole GPUs on each node. */
	gpus?: number;
	/** Accepted accelerator models, separated by commas. Any when empty. */
	accelerators?: readonly string[];
	/** CPU cores on each node. */
	cpus?: number;
	/** Memory on each node. */
	memoryGiB?: number;
	/** Minimum memory of each GPU. Smaller GPUs are excluded. */
	gpuMemoryGiB?: number;
	/** true excludes accelerators without bfloat16. */
	bf16?: boolean;
}

export interface JobDocumentSpecScaling {
	/** Amdahl's law: the share of the run time on the requested GPUs that k times the GPUs divide by k. Needs upTo. */
	parallel?: number;
	/** Speed by number of GPUs. Exactly one of parallel and curve is required. */
	curve?: readonly JobDocumentSpecScalingCurveItem[];
	/** The most GPUs that the job may use, all nodes together. */
	upTo?: number;
}

export interface JobDocumentSpecScalingCurveItem {
	/** All nodes together. */
	gpus: number;
	/** Measured work per hour, in the same unit for all points. */
	speed: number;
}

export interface JobDocumentSpecDuration {
	/** Expected run time. Improves forecasts. */
	estimate?: string;
	/** The job is stopped after this time. */
	max?: string;
}

export interface JobDocumentSpecCheckpoint {
	/** Where the job writes its checkpoints. SPILLWAY_CHECKPOINT_DIR contains this path. */
	path: string;
	/** How often checkpoints are saved. At least 1s. */
	interval?: string;
	/** Complete checkpoints that are kept. */
	keep?: number;
	/** first saves on rank 0. all saves the shards of every rank, in folders named by step. */
	ranks?: "first" | "all";
	/** all restores every rank's shards on each machine, own only its own. */
	restore?: "all" | "own";
}

export interface JobDocumentSpecDataItem {
	/** Where the data is stored. */
	uri: string;
	/** Size of the data. Policies treat an unknown size as unlimited. */
	sizeGiB?: number;
	/** Where the job reads the data. Must be unique. */
	mount: string;
	/** Regions that the data must not leave, such as eu. Available to policies. */
	residency?: readonly string[];
}

export interface JobDocumentSpecOutputsItem {
	/** Must be unique within the job. */
	name: string;
	/** File or folder that the job writes. SPILLWAY_OUTPUT_<NAME> contains its absolute path. */
	path: string;
	/** A label: model, dataset, report or file. */
	kind?: OutputSpecKind;
	/** success uploads when the command exits with 0. always also after failures and interruptions. */
	when?: "success" | "always";
	/** Folder or bucket that gets a copy, such as home:/models/fraud or s3://acme-models/fraud. */
	to?: string;
	/** How long the files are kept. */
	keep?: string;
}

export interface JobCreateBody {
	items: readonly JobDocument[];
	script?: JobCreateBodyScript;
}

export interface JobCreateBodyScript {
	kind?: "sbatch" | "kubernetes" | "auto";
	text: string;
	team?: string;
	zoneOffsetMinutes?: number;
}

export interface JobActBody {
	action: JobActBodyAction;
	ids: readonly string[];
}

export type JobActBodyAction = "cancel" | "hold" | "release" | "resume" | "retry" | "stay";

export interface JobActBodyMove {
	action: "move";
	ids: readonly string[];
	to: "home" | "cloud";
}

export interface JobActBodySetPriority {
	action: "set_priority";
	ids: readonly string[];
	priority: number;
}

export interface JobImportBatchScriptBody {
	text: string;
	team?: string;
	zoneOffsetMinutes?: number;
}

export interface ViewCreateBody {
	name: string;
	query: string;
	team?: string | null;
}

export interface ViewUpdateBody {
	name?: string;
	query?: string;
	team?: string | null;
}

export interface PipelineCreateBody {
	text?: string;
	document?: unknown;
	parameters?: Readonly<Record<string, string | number | boolean>>;
}

export interface PipelineRetryBody {
	from?: string;
}

export interface TriggerCreateBody {
	text?: string;
	document?: unknown;
}

export interface TriggerEnableBody {
	enabled?: boolean;
}

export interface TemplateSaveBody {
	name?: string;
	description?: string;
	text?: string;
	document?: unknown;
	pipelineId?: string;
	baseVersion?: number;
}

export interface TemplateQuoteBody {
	parameters?: Readonly<Record<string, string | number | boolean>>;
	version?: number;
}

export interface PerformanceReportBody {
	/** The node's name */
	node: string;
	text: string;
}

export interface ArtifactCreateLinkBody {
	path: string;
	minutes?: number;
}

export interface SiteAddBody {
	id: string;
	name: string;
	provider: PlacementProvider;
	settings: Readonly<Record<string, unknown>>;
	credentials?: SiteAddBodyCredentialsChain | SiteAddBodyCredentialsStored | SiteAddBodyCredentialsFile | SiteAddBodyCredentialsEnvironment;
}

export interface SiteAddBodyCredentialsChain {
	kind: "chain";
}

export interface SiteAddBodyCredentialsStored {
	kind: "stored";
	values: Readonly<Record<string, unknown>>;
}

export interface SiteAddBodyCredentialsFile {
	kind: "file";
	path: string;
}

export interface SiteAddBodyCredentialsEnvironment {
	kind: "environment";
	name: string;
}

export interface SiteCheckDraftBody {
	id?: string;
	provider?: PlacementProvider;
	settings?: Readonly<Record<string, unknown>>;
	credentials?: SiteAddBodyCredentialsChain | SiteAddBodyCredentialsStored | SiteAddBodyCredentialsFile | SiteAddBodyCredentialsEnvironment;
}

export interface SiteChangeBody {
	name?: string;
	settings?: Readonly<Record<string, unknown>>;
	credentials?: SiteAddBodyCredentialsChain | SiteAddBodyCredentialsStored | SiteAddBodyCredentialsFile | SiteAddBodyCredentialsEnvironment;
	enabled?: boolean;
}

export interface SiteCheckStoredBody {
	settings?: Readonly<Record<string, unknown>>;
	credentials?: SiteAddBodyCredentialsChain | SiteAddBodyCredentialsStored | SiteAddBodyCredentialsFile | SiteAddBodyCredentialsEnvironment;
}

export interface SitePricePoolBody {
	usdPerGpuHour: string;
	wattsPerGpu?: number;
}

export interface OfferImportPricesBody {
	text: string;
	message: string;
}

export interface PolicyPutBody {
	source: string;
	message: string;
	backtestId?: string;
	noBacktestReason?: string;
	origin?: PolicyPutBodyOriginCli | PolicyPutBodyOriginGit;
}

export interface PolicyPutBodyOriginCli {
	kind: "cli";
}

export interface PolicyPutBodyOriginGit {
	kind: "git";
	repository: string;
	commit: string;
	path: string;
}

export interface PolicyDiffTo {
	source: string;
}

export interface PolicyCheckBody {
	source: string;
}

export interface PolicyMergeBody {
	baseVersion: number;
	source: string;
	choices?: Readonly<Record<string, "mine" | "theirs">>;
}

export interface PolicyRollbackBody {
	version: number;
	message: string;
	baseVersion?: number;
}

export interface PolicyChangeSettingsBody {
	secondPerson: boolean;
}

export interface DraftSaveBody {
	source: string;
	baseVersion: number;
	previousUpdatedAt?: string | null;
}

export interface BacktestStartBody {
	source: string;
	days: 7 | 30 | 90;
	replace?: boolean;
}

export interface PlanStartBodyRecords {
	source: "records";
	days: 30 | 90 | 365;
	discountPercent?: number;
}

export interface PlanStartBodyOpen {
	source: "open";
	trace: "philly-ee9e8c" | "philly-0e4a51" | "philly-four-weeks";
	gpus?: number;
	discountPercent?: number;
}

export interface PlanStartBodyUpload {
	source: "upload";
	name: string;
	trace?: string;
	upload?: string;
	gpus?: number;
	days?: number;
	discountPercent?: number;
}

export type SpendByGroupBy =
	| "day"
	| "week"
	| "month"
	| "team"
	| "project"
	| "class"
	| "provider"
	| "region"
	| "capacityType"
	| "accelerator"
	| "site"
	| "kind"
	| "job";

export type SpendByClassItem = "" | "baseline" | "burst" | "experimental" | "sensitive" | "batch_inference";

export type SpendChargesLost = "failed" | "interrupted" | "evicted" | "lost" | "cut_short" | "cancelled" | "any";

export interface SpendRefundBody {
	amountUsd?: string;
	reason: string;
}

export interface LedgerSetZoneBody {
	zone: string;
}

export type CarbonByGroupBy =
	| "day"
	| "week"
	| "month"
	| "team"
	| "project"
	| "class"
	| "provider"
	| "region"
	| "capacityType"
	| "accelerator"
	| "site"
	| "kind";

export interface CarbonImportIntensitiesBody {
	text: string;
	zone?: string;
	source: string;
}

export interface BudgetAddBody {
	id: string;
	scope?: string;
	period?: "month" | "quarter" | "year";
	capUsd: string;
	message: string;
}

export interface BudgetChangeCapBody {
	capUsd: string;
	message: string;
	policyVersion?: number;
}

export interface ApprovalGrantBody {
	note?: string;
	upToUsd?: string;
}

export interface ApprovalRefuseBody {
	note?: string;
}

export interface ChannelCreateBodyEmail {
	kind: "email";
	name: string;
	topics: readonly ChannelCreateBodyEmailTopicsItem[];
	team: string | null;
	pipeline?: string | null;
	digest?: "immediate" | "hourly" | "daily";
	recipients: readonly string[];
}

export type ChannelCreateBodyEmailTopicsItem =
	| "budget_threshold"
	| "budget_forecast_overrun"
	| "spend_anomaly"
	| "money_at_risk"
	| "billed_unknown"
	| "ledger_mismatch"
	| "audit_chain_broken"
	| "approval_waiting"
	| "delivery_failing"
	| "site_unhealthy"
	| "no_leader"
	| "job_stuck"
	| "sweep_failing"
	| "credential_expiring"
	| "rates_missing"
	| "statement"
	| "work_finished"
	| "work_failed"
	| "work_over_forecast"
	| "work_reclaimed";

export interface ChannelCreateBody {
	kind: "slack" | "teams";
	name: string;
	topics: readonly ChannelCreateBodyEmailTopicsItem[];
	team: string | null;
	pipeline?: string | null;
	digest?: "immediate" | "hourly" | "daily";
	url: string;
}

export interface ChannelCreateBody2 {
	kind: "webhook" | "cloudevents";
	name: string;
	topics: readonly ChannelCreateBodyEmailTopicsItem[];
	team: string | null;
	pipeline?: string | null;
	digest?: "immediate" | "hourly" | "daily";
	url: string;
	signingKey?: string;
}

export interface ChannelUpdateBody {
	name?: string;
	topics?: readonly ChannelCreateBodyEmailTopicsItem[];
	team?: string | null;
	pipeline?: string | null;
	digest?: "immediate" | "hourly" | "daily";
	enabled?: boolean;
	recipients?: readonly string[];
	url?: string;
	signingKey?: string;
}

export interface RatesSetBody {
	effectiveFrom?: string;
	message: string;
	card: RatesSetBodyCard;
}

export interface RatesSetBodyCard {
	assets: readonly RatesSetBodyCardAssetsItem[];
	power: RatesSetBodyCardPower;
	perYear: RatesSetBodyCardPerYear;
}

export interface RatesSetBodyCardAssetsItem {
	id: string;
	name: string;
	inServiceOn: string;
	priceUsd: string;
	residualUsd?: string;
	lifeMonths: number;
	method: RatesSetBodyCardAssetsItemMethodStraightLine | RatesSetBodyCardAssetsItemMethodDecliningBalance;
	embodiedKg?: string | null;
	source?: string | null;
}

export interface RatesSetBodyCardAssetsItemMethodStraightLine {
	kind: "straight_line";
}

export interface RatesSetBodyCardAssetsItemMethodDecliningBalance {
	kind: "declining_balance";
	ratePerYear: string;
}

export interface RatesSetBodyCardPower {
	busyWattsPerGpu: string;
	idleWattsPerGpu: string;
	pue: string;
	electricityUsdPerKwh: string;
	electricityHours?: readonly RatesSetBodyCardPowerElectricityHoursItem[];
	measured?: RatesSetBodyCardPowerMeasured;
	contractGramsPerKwh?: string | null;
}

export interface RatesSetBodyCardPowerElectricityHoursItem {
	days?: readonly RateCardCardPowerElectricityHoursItemDaysItem[];
	fromHour: number;
	toHour: number;
	usdPerKwh: string;
}

export interface RatesSetBodyCardPowerMeasured {
	kwh: string;
	from: string;
	to: string;
}

export interface RatesSetBodyCardPerYear {
	rackUsd: string;
	networkUsd: string;
	supportUsd: string;
	staffUsd: string;
}

export interface RatesSetMeasuredPowerBody {
	from: string;
	to: string;
	kwh: string;
	message: string;
}

export interface RatesSetElectricityPricesBody {
	text: string;
	message: string;
}

export interface RatesSetCommitmentsBody {
	items: readonly RatesSetCommitmentsBodyItemsItem[];
}

export interface RatesSetCommitmentsBodyItemsItem {
	id: string;
	siteId: string;
	kind: "reservation" | "commitment";
	region: string | null;
	instanceType: string;
	zone?: string | null;
	reservation?: string | null;
	accelerator: string;
	instances: number;
	upfrontMicroUsd: string;
	hourlyMicroUsd: string;
	from: string;
	to: string;
}

export interface RatesSetDiscountsBody {
	items: readonly RatesSetDiscountsBodyItemsItem[];
}

export interface RatesSetDiscountsBodyItemsItem {
	id: string;
	siteId: string;
	capacityType: "on_demand" | "spot";
	percent: string;
	instanceFamilies?: readonly string[];
	regions?: readonly string[];
	from: string;
	to?: string | null;
	source: string;
}

export interface CurrencySetBody {
	currency: string;
}

export interface DataSetSetBody {
	items: readonly DataSetSetBodyItemsItem[];
	stores?: readonly DataSetSetBodyStoresItem[];
}

export interface DataSetSetBodyItemsItem {
	uri: string;
	copies: readonly DataSetSetBodyItemsItemCopiesItem[];
	freshDays?: number;
}

export interface DataSetSetBodyItemsItemCopiesItem {
	/** Region such as aws:eu-west-1, or an owned site. */
	at: string;
	/** Address of the copy there. */
	uri: string;
	/** The same copy as the scheduler reads it. With it, copies elsewhere are made from here, and egress is charged. */
	readUri?: string;
}

export interface DataSetSetBodyStoresItem {
	at: string;
	uri: string;
	writeUri?: string;
	usdPerGiBMonth?: number;
	share?: boolean;
}

export interface StoreAddBody {
	team: string;
	name: string;
	config: StoreAddBodyConfigS3 | StoreAddBodyConfigGcs | StoreAddBodyConfigAzblob | StoreAddBodyConfigWebdav | StoreAddBodyConfigFolder;
	secret?: Readonly<Record<string, string>>;
	isDefault?: boolean;
	usdPerGiBMonth?: number;
	usdPerGiBEgress?: number;
	check?: boolean;
}

export interface StoreAddBodyConfigS3 {
	kind: "s3";
	bucket: string;
	prefix?: string;
	place?: string;
	provider?: StoreAddBodyConfigS3Provider;
	region?: string;
	endpoint?: string;
	roleArn?: string;
	stsEndpoint?: string;
}

export type StoreAddBodyConfigS3Provider = "AWS" | "Minio" | "Ceph" | "Other";

export interface StoreAddBodyConfigGcs {
	kind: "gcs";
	bucket: string;
	prefix?: string;
	place?: string;
	endpoint?: string;
	stsEndpoint?: string;
}

export interface StoreAddBodyConfigAzblob {
	kind: "azblob";
	prefix?: string;
	place?: string;
	endpoint?: string;
	account: string;
	container: string;
	hierarchical?: boolean;
}

export interface StoreAddBodyConfigWebdav {
	kind: "webdav";
	url: string;
	prefix?: string;
	place?: string;
	vendor?: "other" | "nextcloud" | "owncloud";
}

export interface StoreAddBodyConfigFolder {
	kind: "folder";
	place?: string;
	path: string;
}

export interface StoreChangeBody {
	isDefault: boolean;
}

export interface StoreUpdateBody {
	config?: StoreAddBodyConfigS3 | StoreAddBodyConfigGcs | StoreAddBodyConfigAzblob | StoreAddBodyConfigWebdav | StoreAddBodyConfigFolder;
	secret?: Readonly<Record<string, string>>;
}

export interface StoreSetPriceBody {
	usdPerGiBMonth: string | null;
	usdPerGiBEgress: string | null;
}

export interface StoreLimitsBody {
	team: string;
	quotaGiB: number | null;
	keepDays: number | null;
}

export interface StatementCloseBody {
	correction?: string;
}

export interface StatementSignBody {
	team?: string;
	sha256: string;
}

export interface BillReconcileBody {
	final?: boolean;
}

export interface SecretSetBody {
	value?: string;
	file?: string;
	vault?: SecretSetBodyVault;
}

export interface SecretSetBodyVault {
	path: string;
	key: string;
}

export interface TokenCreateBody {
	name: string;
	scopes: readonly TokenCreateBodyScopesItem[];
	expiresInDays: number;
	approvalAboveUsd?: number;
	accountId?: string;
}

export type TokenCreateBodyScopesItem = "read" | "jobs" | "money" | "policy" | "sites" | "accounts";

export interface AccountUpdateBody {
	name?: string;
	role?: string;
	teams?: readonly string[];
}

export interface AccountCreateBody {
	email: string;
	name: string;
	role: string;
	teams?: readonly string[];
	service?: boolean;
}

export interface RoleCreateBody {
	name: string;
	base: "platform" | "data_scientist" | "finance";
	permissions: readonly RoleCreateBodyPermissionsItem[];
}

export type RoleCreateBodyPermissionsItem =
	| "job:read"
	| "job:submit"
	| "job:cancel"
	| "artifact:read"
	| "artifact:delete"
	| "quote:ask"
	| "capacity:read"
	| "instance:read"
	| "site:manage"
	| "policy:read"
	| "budget:read"
	| "spend:read"
	| "audit:read"
	| "budget:change"
	| "budget:approve"
	| "rates:read"
	| "rates:change"
	| "bill:read"
	| "bill:import"
	| "charge:read"
	| "statement:read"
	| "statement:close"
	| "statement:sign"
	| "policy:edit"
	| "policy:publish"
	| "plan:read"
	| "plan:run"
	| "data:change"
	| "store:manage"
	| "policy:approve"
	| "job:approve"
	| "secret:read"
	| "secret:manage"
	| "token:manage"
	| "notification:manage"
	| "account:manage";

export interface RoleUpdateBody {
	permissions: readonly RoleCreateBodyPermissionsItem[];
}

export interface NotificationSetBody {
	events?: readonly NotificationsEventsItem[];
	digestMinutes?: number;
}

export interface TeamCreateBody {
	name: string;
	title?: string | null;
	costCenter?: string | null;
	parent?: string | null;
}

export interface TeamUpdateBody {
	title?: string | null;
	costCenter?: string | null;
	parent?: string | null;
}

export interface GroupMappingSetBody {
	group: string;
	role?: string | null;
	team?: string | null;
}

export interface GroupMappingRemoveBody {
	group: string;
}

export interface GroupMappingCheckBody {
	groups: readonly string[];
}

export interface SetupSkipBody {
	step: SetupSkipOutputStep;
}

export interface SetupPolicyBody {
	leave: SetupPolicyBodyLeave;
	regions?: "anywhere" | "europe" | "united_states";
	monthlyCapUsd: number;
	burst: "wait" | "deadline" | "full";
	waitMinutes?: number;
	approver: "none" | "platform" | "finance";
	approvalAboveUsd?: number;
}

export type SetupPolicyBodyLeave = "nothing" | "experiments" | "not_sensitive" | "everything";

export interface CompanyPlanBody {
	text: string;
	secrets?: Readonly<Record<string, string>>;
	prune?: boolean;
}

export interface CompanyApplyBody {
	text: string;
	secrets?: Readonly<Record<string, string>>;
	prune?: boolean;
	hash: string;
}
