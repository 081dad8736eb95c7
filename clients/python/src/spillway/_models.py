# Generated from the API contract by clients/generate/main.ts. Do not edit: change the contract and run npm run clients.
"""Types of what the REST API takes and answers."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union


class _ProblemRequired(TypedDict):
    type: str
    title: str
    status: int
    detail: str
    code: str
    requestId: str


class Problem(_ProblemRequired, total=False):
    fix: str
    fields: List[ProblemFieldsItem]


class _ProblemFieldsItemRequired(TypedDict):
    path: str
    message: str


class ProblemFieldsItem(_ProblemFieldsItemRequired, total=False):
    line: int
    column: int


class SubmittedJobs(TypedDict):
    items: List[SubmittedJobsItemsItem]


class SubmittedJobsItemsItem(TypedDict):
    id: str
    state: Literal["queued"]


class SubmittedJob(TypedDict):
    id: str
    state: Literal["queued"]
    name: str


class TimeRange(TypedDict):
    p50Ms: float
    p90Ms: float


class _PlacementRequired(TypedDict):
    siteId: str
    provider: PlacementProvider
    region: Optional[str]
    zone: Optional[str]
    capacityType: PlacementCapacityType
    instanceType: Optional[str]
    poolId: Optional[str]
    accelerator: Optional[str]


class Placement(_PlacementRequired, total=False):
    speed: float
    egressGiB: float
    # Data sets that each machine reads from another cloud, with the egress that its hold
    # covers.
    reads: List[PlacementReadsItem]

PlacementProvider = Literal["local", "slurm", "kubernetes", "aws", "azure", "gcp"]

PlacementCapacityType = Literal["owned", "reserved", "on_demand", "spot"]

_PlacementReadsItemRequired = TypedDict(
    "_PlacementReadsItemRequired",
    {
        "uri": str,
        "from": str,
        "microUsd": float,
    },
)

_PlacementReadsItemOptional = TypedDict(
    "_PlacementReadsItemOptional",
    {
    },
    total=False,
)


class PlacementReadsItem(_PlacementReadsItemRequired, _PlacementReadsItemOptional):
    pass


class Reason(TypedDict):
    code: ReasonCode
    message: str
    facts: Dict[str, Optional[Union[bool, str, float]]]

ReasonCode = Literal[
    "submitted",
    "waiting_for_home",
    "waiting_to_burst",
    "waiting_no_allowed_offer",
    "budget_exceeded",
    "cap_exceeded",
    "approval_required",
    "waiting_not_approved",
    "capacity_backoff",
    "waiting_for_spot",
    "deferred_cheaper_hour",
    "deferred_greener_hour",
    "copying_data_ahead",
    "copying_data_home",
    "no_progress",
    "held_by_person",
    "placed_home",
    "placed_cloud",
    "started",
    "completed",
    "exit_nonzero",
    "killed_by_signal",
    "max_duration_exceeded",
    "cancelled_by_person",
    "no_placement_possible",
    "out_of_memory",
    "staging_failed",
    "outputs_not_kept",
    "image_pull_failed",
    "command_not_started",
    "too_many_attempts",
    "spot_interruption",
    "instance_vanished",
    "instance_expired",
    "instance_not_ready_in_time",
    "agent_silent",
    "gang_member_failed",
    "launch_refused_capacity",
    "launch_refused_quota",
    "launch_refused",
    "launch_never_happened",
    "evicted_for_deadline",
    "evicted_for_newcomer",
    "returning_home",
    "moving_cheaper",
    "moving_together",
    "moving_for_deadline",
    "moved_by_person",
    "site_failover",
    "instance_idle",
    "gpu_utilisation_low",
    "budget_cap_reached",
    "site_stopped",
    "site_lost",
    "job_finished",
    "orphan_found",
    "kept_warm_over",
    "adoption_ended",
]

_JobRequired = TypedDict(
    "_JobRequired",
    {
        "id": str,
        "name": str,
        "team": str,
        "project": str,
        "class": "JobClass",
        "state": "JobState",
        "reason": "Reason",
        "priority": float,
        "gpus": float,
        "placement": Optional["Placement"],
        "attempts": float,
        "submittedAt": str,
        "pendingSince": str,
        "startedAt": Optional[str],
        "finishedAt": Optional[str],
        "deadlineAt": Optional[str],
        "cancelRequestedAt": Optional[str],
        "forecast": Optional["TimeRange"],
        "estimateMs": Optional[float],
        "completedMs": float,
        "expected": Optional["JobExpected"],
        "costMicroUsd": str,
        "emissionsGrams": float,
        "synthetic": bool,
    },
)

_JobOptional = TypedDict(
    "_JobOptional",
    {
    },
    total=False,
)


class Job(_JobRequired, _JobOptional):
    pass

JobClass = Literal["baseline", "burst", "experimental", "sensitive", "batch_inference"]

JobState = Literal["held", "queued", "admitted", "running", "succeeded", "failed", "cancelled"]


class JobExpected(TypedDict):
    totalMicroUsd: str
    workMs: float
    beganAt: Optional[str]
    beforeMs: float

_JobFacetsRequired = TypedDict(
    "_JobFacetsRequired",
    {
        "total": int,
        "state": Dict[str, int],
        "team": Dict[str, int],
        "class": Dict[str, int],
        "site": Dict[str, int],
    },
)

_JobFacetsOptional = TypedDict(
    "_JobFacetsOptional",
    {
    },
    total=False,
)


class JobFacets(_JobFacetsRequired, _JobFacetsOptional):
    pass


class ForeignOutcome(TypedDict):
    outcome: Literal["failed", "cancelled", "succeeded"]
    exitCode: Optional[float]
    comment: str


class Adoption(TypedDict):
    id: str
    state: AdoptionState
    siteId: str
    siteName: str
    foreignId: str
    user: str
    partition: str
    ruleId: str
    policyVersion: float
    offeredAt: str
    heldAt: Optional[str]
    endedAt: Optional[str]
    why: Optional[str]
    outcome: Optional[ForeignOutcome]
    output: Optional[AdoptionOutput]
    problem: Optional[str]

AdoptionState = Literal[
    "offered",
    "holding",
    "held",
    "returning",
    "released",
    "finishing",
    "finished",
    "abandoned",
]


class AdoptionOutput(TypedDict):
    files: List[str]
    problem: Optional[str]

FindingKind = Literal["changed", "carried", "dropped", "question"]


class Finding(TypedDict):
    line: float
    kind: FindingKind
    subject: str
    text: str


class Checkpoint(TypedDict):
    id: str
    attemptId: str
    createdAt: str
    files: float
    bytes: float
    completedMs: float


class Instance(TypedDict):
    id: str
    provider: PlacementProvider
    siteId: str
    providerInstanceId: Optional[str]
    state: InstanceState
    region: str
    zone: Optional[str]
    instanceType: str
    accelerator: str
    gpus: float
    capacityType: PlacementCapacityType
    microUsdPerHour: str
    # Null, like its name and attempt, while it is kept warm without a job; it then has no
    # team.
    jobId: Optional[str]
    jobName: Optional[str]
    team: str
    attemptId: Optional[str]
    # The prewarm rule that launched it, and until when it is kept without a job; null:
    # launched for its job.
    warm: Optional[InstanceWarm]
    # Images and data sets that it fetches while it has no job. Null: none, it has a job, or
    # the caller sees only some teams.
    prepared: Optional[List[InstancePreparedItem]]
    rank: float
    nodes: float
    exitCode: Optional[float]
    intendedAt: str
    requestedAt: Optional[str]
    launchedAt: Optional[str]
    readyAt: Optional[str]
    interruptionAt: Optional[str]
    terminatingAt: Optional[str]
    terminatedAt: Optional[str]
    fencedAt: Optional[str]
    expiresAt: str
    lastSeenAt: Optional[str]
    lastHeardAt: Optional[str]
    lastError: Optional[str]
    reason: Optional[Reason]
    costMicroUsd: str

InstanceState = Literal[
    "intended",
    "requested",
    "provisioning",
    "ready",
    "draining",
    "terminating",
    "terminated",
]


class InstanceWarm(TypedDict):
    ruleId: str
    until: str
    # It is stopped, and costs only its disk.
    stopped: bool


class InstancePreparedItem(TypedDict):
    kind: Literal["image", "data"]
    name: str
    source: Literal["rule", "history"]
    # Share of the recorded jobs that used it; null: named by the rule.
    sharePercent: Optional[float]
    sizeGiB: Optional[float]
    state: InstancePreparedItemState
    bytes: Optional[float]
    digest: Optional[str]
    problem: Optional[str]

InstancePreparedItemState = Literal["pending", "ready", "failed", "skipped"]


class Attempt(TypedDict):
    id: str
    number: float
    state: AttemptState
    placement: Placement
    gpus: float
    slots: List[float]
    createdAt: str
    stagingAt: Optional[str]
    startedAt: Optional[str]
    stopRequestedAt: Optional[str]
    finishedAt: Optional[str]
    reason: Optional[Reason]
    exitCode: Optional[float]
    exitSignal: Optional[str]
    logLines: float
    clusterWait: Optional[AttemptClusterWait]
    move: Optional[AttemptMove]

AttemptState = Literal[
    "starting",
    "staging",
    "running",
    "stopping",
    "succeeded",
    "failed",
    "interrupted",
    "evicted",
    "cancelled",
    "lost",
]


class AttemptClusterWait(TypedDict):
    reason: str
    detail: str
    message: str


class AttemptMove(TypedDict):
    to: Literal["home", "cloud"]
    requestedBy: Optional[str]
    at: Optional[str]


class _OutputSpecRequired(TypedDict):
    name: str
    path: str
    kind: OutputSpecKind
    when: Literal["success", "always"]
    keepMs: Optional[float]


class OutputSpec(_OutputSpecRequired, total=False):
    to: str

OutputSpecKind = Literal["model", "dataset", "report", "file"]


class DataRef(TypedDict):
    uri: str
    sizeGiB: Optional[float]
    mount: str
    residency: List[str]

_JobSpecRequired = TypedDict(
    "_JobSpecRequired",
    {
        "name": str,
        "team": str,
        "project": Optional[str],
        "labels": Dict[str, str],
        "class": "JobClass",
        "image": Optional[str],
        "command": List[str],
        "env": Dict[str, str],
        "nodes": float,
        "resources": "JobSpecResources",
        "duration": "JobSpecDuration",
        "deadlineMs": Optional[float],
        "priority": float,
        "critical": bool,
        "checkpoint": Optional["JobSpecCheckpoint"],
        "data": List["DataRef"],
    },
)

_JobSpecOptional = TypedDict(
    "_JobSpecOptional",
    {
        "interconnect": Literal["high"],
        "throughput": Dict[str, float],
        "scaling": "JobSpecScaling",
        "approvalAboveUsd": float,
        "mounts": List[str],
        "outputs": List["OutputSpec"],
        "user": str,
    },
    total=False,
)


class JobSpec(_JobSpecRequired, _JobSpecOptional):
    pass


class _JobSpecResourcesRequired(TypedDict):
    gpus: float
    accelerators: List[str]
    cpus: Optional[float]
    memoryGiB: Optional[float]


class JobSpecResources(_JobSpecResourcesRequired, total=False):
    gpuMemoryGiB: float
    bf16: bool


class _JobSpecScalingRequired(TypedDict):
    upTo: float


class JobSpecScaling(_JobSpecScalingRequired, total=False):
    parallel: float
    curve: List[JobSpecScalingCurveItem]


class JobSpecScalingCurveItem(TypedDict):
    gpus: float
    speed: float


class JobSpecDuration(TypedDict):
    estimateMs: Optional[float]
    maxMs: Optional[float]


class _JobSpecCheckpointRequired(TypedDict):
    path: str
    intervalMs: float


class JobSpecCheckpoint(_JobSpecCheckpointRequired, total=False):
    keep: int
    ranks: Literal["first", "all"]
    restore: Literal["all", "own"]

_JobDetailRequired = TypedDict(
    "_JobDetailRequired",
    {
        "id": str,
        "name": str,
        "team": str,
        "project": str,
        "class": "JobClass",
        "state": "JobState",
        "reason": "Reason",
        "priority": float,
        "gpus": float,
        "placement": Optional["Placement"],
        "attempts": float,
        "submittedAt": str,
        "pendingSince": str,
        "startedAt": Optional[str],
        "finishedAt": Optional[str],
        "deadlineAt": Optional[str],
        "cancelRequestedAt": Optional[str],
        "forecast": Optional["TimeRange"],
        "estimateMs": Optional[float],
        "completedMs": float,
        "expected": Optional["JobExpected"],
        "costMicroUsd": str,
        "emissionsGrams": float,
        "synthetic": bool,
        "spec": "JobSpec",
        "submittedBy": str,
        "attemptList": List["Attempt"],
        "instances": List["Instance"],
        "checkpoints": List["Checkpoint"],
        "imported": Optional["JobDetailImported"],
        "adoption": Optional["Adoption"],
        "template": Optional["JobDetailTemplate"],
    },
)

_JobDetailOptional = TypedDict(
    "_JobDetailOptional",
    {
    },
    total=False,
)


class JobDetail(_JobDetailRequired, _JobDetailOptional):
    pass


class JobDetailImported(TypedDict):
    kind: Literal["kubernetes", "sbatch"]
    findings: List[Finding]
    leftOut: float
    isAsRead: bool
    readAt: str


class JobDetailTemplate(TypedDict):
    id: str
    name: str
    version: int
    # The template was deleted since.
    isDeleted: bool


class JobActionResult(TypedDict):
    id: str
    done: bool
    ended: Optional[bool]
    newJobId: Optional[str]
    priorityBefore: Optional[int]
    problem: Optional[JobActionResultProblem]


class JobActionResultProblem(TypedDict):
    code: str
    message: str
    fix: Optional[str]


class LogPage(TypedDict):
    attempt: Optional[float]
    attempts: float
    lines: List[LogPageLinesItem]
    total: float
    complete: bool
    jobEnded: bool


class LogPageLinesItem(TypedDict):
    number: float
    at: str
    stream: Literal["stdout", "stderr", "spillway"]
    text: str


class _CandidateRequired(TypedDict):
    placement: Placement
    offerId: Optional[str]
    instances: float
    hourlyMicroUsd: str
    start: TimeRange
    finish: TimeRange
    computeMicroUsd: str
    egressMicroUsd: str
    totalMicroUsd: str
    cashMicroUsd: str
    worstCaseMicroUsd: str
    emissionsGrams: Optional[float]
    scoreMicroUsd: str
    outcome: Literal["removed", "chosen", "passes"]
    removedBy: Optional[CandidateRemovedBy]


class Candidate(_CandidateRequired, total=False):
    speed: float
    speedSource: CandidateSpeedSource
    staging: CandidateStaging
    copyAheadMs: float
    # The site does not declare whether this pool has a high-bandwidth interconnect.
    interconnectUnknown: Literal[True]
    storageMicroUsd: str

CandidateSpeedSource = Literal["measured", "declared", "learned", "prior"]


class CandidateStaging(TypedDict):
    expectedMs: float
    lowMs: float
    highMs: float


class CandidateRemovedBy(TypedDict):
    ruleId: Optional[str]
    why: CandidateRemovedByWhy
    facts: Dict[str, Optional[Union[bool, str, float]]]

CandidateRemovedByWhy = Literal[
    "site_denied",
    "region_denied",
    "region_not_allowed",
    "family_denied",
    "family_not_allowed",
    "site_not_allowed",
    "capacity_type_denied",
    "capacity_type_required",
    "residency",
    "data_at_home",
    "mount_missing",
    "hardware_gpus",
    "hardware_accelerator",
    "hardware_cpus",
    "hardware_memory",
    "hardware_gpu_memory",
    "hardware_bf16",
    "hardware_interconnect",
    "hardware_slice",
    "too_slow",
    "life_too_short",
    "data_too_slow",
    "price_missing",
    "price_zero",
    "price_stale",
    "spot_not_cheaper",
    "capacity_backoff",
    "burst_not_due",
    "budget_exceeded",
    "approval_required",
    "no_free_slots",
    "site_unreachable",
    "multi_node_unsupported",
    "reserved_full",
    "reserved_too_short",
    "quota_exceeded",
    "cap_exceeded",
    "burst_cost_limit",
    "burst_data_limit",
    "deadline_needs_firm",
    "spot_is_cheapest",
    "spot_too_short",
    "spot_worth_the_wait",
]

Outcome = Literal["hold", "place_home", "launch", "wait", "fail"]


class Decision(TypedDict):
    id: str
    attemptNumber: Optional[float]
    reason: Reason
    policy: DecisionPolicy
    jobId: str
    decidedAtMs: float
    outcome: Outcome
    verdict: Literal["deny", "allow", "needs_approval"]
    homeStart: Optional[TimeRange]
    candidates: List[Candidate]
    removed: List[DecisionRemovedItem]
    consideredCount: float


class DecisionPolicy(TypedDict):
    name: str
    version: float


class DecisionRemovedItem(TypedDict):
    ruleId: Optional[str]
    why: CandidateRemovedByWhy
    count: float
    cheapest: Candidate


class Replay(TypedDict):
    decisionId: str
    decidedAtMs: float
    policy: DecisionPolicy
    same: bool
    recorded: ReplayRecorded
    replayed: ReplayRecorded
    difference: Optional[ReplayDifference]
    input: ReplayInput


class ReplayRecorded(TypedDict):
    bytes: float
    sha256: str


class ReplayDifference(TypedDict):
    path: str
    recorded: str
    replayed: str


class ReplayInput(TypedDict):
    pending: float
    running: float
    offers: float


class ChangedField(TypedDict):
    path: List[str]
    value: Union[str, float, Dict[str, str], List[str]]


class JobChangeAccelerator(TypedDict):
    kind: Literal["accelerator"]
    accelerator: str


class JobChangeDeadline(TypedDict):
    kind: Literal["deadline"]
    deadlineMs: float
    laterMs: float


class JobChangeCheckpoint(TypedDict):
    kind: Literal["checkpoint"]
    intervalMs: float


class JobChangeOneNode(TypedDict):
    kind: Literal["one_node"]
    gpus: float


class JobChangeHalf(TypedDict):
    kind: Literal["half"]
    nodes: float
    gpus: float


class JobChangeScale(TypedDict):
    kind: Literal["scale"]
    nodes: float
    gpus: float
    speedup: float


class JobChangeMachine(TypedDict):
    kind: Literal["machine"]
    instanceType: str
    cpus: Optional[float]
    memoryGiB: Optional[float]


class JobChangeMaxDuration(TypedDict):
    kind: Literal["max_duration"]
    maxMs: float

JobChange = Union["JobChangeAccelerator", "JobChangeDeadline", "JobChangeCheckpoint", "JobChangeOneNode", "JobChangeHalf", "JobChangeScale", "JobChangeMachine", "JobChangeMaxDuration"]


class Suggestion(TypedDict):
    change: JobChange
    fields: List[ChangedField]
    prospect: Prospect
    startsEarlierMs: Optional[float]
    finishesEarlierMs: Optional[float]
    savesMicroUsd: Optional[str]
    sentence: str


class WaitingChange(TypedDict):
    by: WaitingChangeBy
    sentence: str

WaitingChangeBy = Literal["policy", "money", "time", "people"]


class Prospect(TypedDict):
    placement: Placement
    start: TimeRange
    finish: TimeRange
    cashMicroUsd: str
    deadlineRisk: Optional[float]


class Waiting(TypedDict):
    waits: bool
    state: JobState
    reason: Reason
    decidedAtMs: Optional[float]
    homeStart: Optional[TimeRange]
    position: Optional[WaitingPosition]
    expected: Optional[Prospect]
    considered: Optional[WaitingConsidered]
    changes: List[WaitingChange]
    suggestions: List[Suggestion]

_WaitingPositionRequired = TypedDict(
    "_WaitingPositionRequired",
    {
        "from": float,
        "to": float,
        "of": float,
    },
)

_WaitingPositionOptional = TypedDict(
    "_WaitingPositionOptional",
    {
    },
    total=False,
)


class WaitingPosition(_WaitingPositionRequired, _WaitingPositionOptional):
    pass


class WaitingConsidered(TypedDict):
    candidates: List[Candidate]
    removed: List[DecisionRemovedItem]
    consideredCount: float


class GpuStretch(TypedDict):
    atMs: float
    utilisationPercent: float
    powerWatts: Optional[float]


class AttemptGpuUse(TypedDict):
    attemptId: str
    stretches: List[GpuStretch]
    measuredMinutes: float


class JobGpuUse(TypedDict):
    stepMs: float
    attempts: List[AttemptGpuUse]


class ReceiptAlternative(TypedDict):
    way: Literal["spot", "on_demand", "at_home"]
    placement: Placement
    estimate: Literal["same_machine_time_at_price_when_decided"]
    costMicroUsd: str
    storageMicroUsd: Optional[str]
    cashMicroUsd: str
    startP50Ms: float
    decidedAtMs: float
    removedBy: Optional[CandidateRemovedBy]


class CarbonIntensity(TypedDict):
    milligramsPerGpuHour: Optional[str]
    milligramsPerJob: Optional[str]


class ReceiptTotals(TypedDict):
    gpuMs: str
    costMicroUsd: str
    listMicroUsd: str
    energyMilliWh: str
    measuredEnergyMilliWh: str
    hourlyGridMilliWh: str
    emissionsMilligrams: Optional[str]
    marketEmissionsMilligrams: Optional[str]
    embodiedMilligrams: Optional[str]


class ReceiptAttempt(TypedDict):
    attemptId: str
    number: float
    state: AttemptState
    placement: Placement
    lines: List[ReceiptLine]
    totals: ReceiptTotals


class Receipt(TypedDict):
    jobId: str
    attempts: List[ReceiptAttempt]
    totals: ReceiptTotals
    electricity: Optional[ReceiptElectricity]
    carbon: CarbonIntensity
    # Storage and egress of the results, by result; they belong to no attempt.
    results: List[ReceiptLine]
    # Results that stores keep for the job; null: none.
    kept: Optional[ReceiptKept]
    alternatives: List[ReceiptAlternative]


class ReceiptElectricity(TypedDict):
    hourly: Optional[ReceiptElectricityHourly]
    card: Optional[ReceiptElectricityHourly]
    sources: List[str]


class ReceiptElectricityHourly(TypedDict):
    ms: float
    microUsdPerKwh: str


class ReceiptKept(TypedDict):
    count: int
    bytes: str
    # Storage cost per month at current prices.
    microUsdPerMonth: str
    # Bytes in stores without a price; their cost is not included.
    unpricedBytes: str
    # When the last of it is deleted; null: no time is set.
    untilMs: Optional[float]


class MetricSeries(TypedDict):
    key: str
    count: int
    last: MetricSeriesLast
    min: float
    max: float
    points: List[MetricSeriesLast]


class MetricSeriesLast(TypedDict):
    step: float
    value: float
    at: str


class ForwardedRun(TypedDict):
    # Id of a run that the job logged, or of the job itself for metrics of its output.
    runId: str
    # The run in MLflow.
    remoteRunId: Optional[str]
    # Failed runs are tried again until a week after the job's end.
    state: Literal["pending", "forwarded", "failed"]
    # Why the last try failed.
    error: Optional[str]
    retryAt: Optional[str]
    forwardedAt: Optional[str]


class ElectricityAhead(TypedDict):
    siteId: str
    hours: float
    hoursPriced: float
    sources: List[str]


class ForecastScore(TypedDict):
    count: float
    p50Covered: float
    p90Covered: float


class _QuotedCandidateRequired(TypedDict):
    placement: Placement
    offerId: Optional[str]
    instances: float
    hourlyMicroUsd: str
    start: TimeRange
    finish: TimeRange
    computeMicroUsd: str
    egressMicroUsd: str
    totalMicroUsd: str
    cashMicroUsd: str
    worstCaseMicroUsd: str
    emissionsGrams: Optional[float]
    scoreMicroUsd: str
    outcome: Literal["removed", "chosen", "passes"]
    removedBy: Optional[CandidateRemovedBy]
    deadlineRisk: Optional[float]


class QuotedCandidate(_QuotedCandidateRequired, total=False):
    speed: float
    speedSource: CandidateSpeedSource
    staging: CandidateStaging
    copyAheadMs: float
    # The site does not declare whether this pool has a high-bandwidth interconnect.
    interconnectUnknown: Literal[True]
    storageMicroUsd: str


class Quote(TypedDict):
    reason: Reason
    candidates: List[QuotedCandidate]
    removed: List[QuoteRemovedItem]
    gpus: float
    queue: QuoteQueue
    runTime: TimeRange
    expected: Optional[Prospect]
    suggestions: List[Suggestion]
    approval: Optional[QuoteApproval]
    forecastScore: Optional[ForecastScore]
    quoteScore: Optional[ForecastScore]
    electricity: List[ElectricityAhead]
    budgetFree: Optional[QuoteBudgetFree]
    policy: DecisionPolicy
    decidedAtMs: float
    outcome: Outcome
    verdict: Literal["deny", "allow", "needs_approval"]
    homeStart: Optional[TimeRange]
    consideredCount: float


class QuoteRemovedItem(TypedDict):
    ruleId: Optional[str]
    why: CandidateRemovedByWhy
    count: float
    cheapest: QuotedCandidate


class QuoteQueue(TypedDict):
    jobs: float
    gpus: float


class QuoteApproval(TypedDict):
    role: Literal["platform", "data_scientist", "finance"]
    people: List[str]
    medianMs: Optional[float]
    answered: float
    ruleId: str
    sentence: str


class QuoteBudgetFree(TypedDict):
    budgetId: str
    freeMicroUsd: str
    capMicroUsd: str


class Import(TypedDict):
    kind: Literal["kubernetes", "sbatch"]
    documents: List[Dict[str, Any]]
    findings: List[Finding]
    questions: float


class SavedView(TypedDict):
    id: str
    name: str
    query: str
    team: Optional[str]
    owner: str
    isMine: bool


class PipelineQuote(TypedDict):
    kind: Literal["Pipeline", "Sweep"]
    name: str
    team: str
    # ISO 8601, UTC.
    decidedAt: str
    steps: int
    runs: int
    start: PipelineQuoteStart
    finish: PipelineQuoteStart
    deadlineAt: Optional[str]
    # Chance of missing the deadline, 0 to 1; null without one.
    deadlineRisk: Optional[float]
    # Micro-dollars as a decimal text.
    expectedMicroUsd: str
    # Micro-dollars as a decimal text.
    maximumMicroUsd: str
    emissionsGrams: Optional[float]
    # Results of unknown size. The cost of moving them is not included.
    unsizedResults: int
    budgetMicroUsd: Optional[str]
    isWithinBudget: bool
    budgets: List[PipelineQuoteBudgetsItem]
    stepList: List[PipelineQuoteStepListItem]


class PipelineQuoteStart(TypedDict):
    # ISO 8601, UTC.
    p50: str
    # ISO 8601, UTC.
    p90: str


class PipelineQuoteBudgetsItem(TypedDict):
    budgetId: str
    # Micro-dollars as a decimal text.
    maximumMicroUsd: str
    # Micro-dollars as a decimal text.
    freeMicroUsd: str
    # Micro-dollars as a decimal text.
    capMicroUsd: str
    isEnough: bool


class PipelineQuoteStepListItem(TypedDict):
    name: str
    needs: List[str]
    runs: int
    outcome: Outcome
    placement: Optional[Placement]
    start: PipelineQuoteStart
    finish: PipelineQuoteStart
    # Median run time of its longest run, ms.
    runMs: float
    # How much later it may end without delaying the end, ms.
    slackMs: float
    isCritical: bool
    # Micro-dollars as a decimal text.
    expectedMicroUsd: str
    # Micro-dollars as a decimal text.
    maximumMicroUsd: str
    emissionsGrams: Optional[float]
    # Why the step would be held or could never run.
    reason: Optional[str]


class StepCounts(TypedDict):
    waiting: int
    submitted: int
    succeeded: int
    failed: int
    skipped: int
    cancelled: int


class Pipeline(TypedDict):
    id: str
    kind: Literal["Pipeline", "Sweep"]
    name: str
    team: str
    project: str
    state: PipelineState
    steps: int
    runs: int
    counts: StepCounts
    submittedBy: str
    # ISO 8601, UTC.
    submittedAt: str
    finishedAt: Optional[str]
    deadlineAt: Optional[str]
    budgetMicroUsd: Optional[str]
    # Micro-dollars as a decimal text.
    costMicroUsd: str
    emissionsGrams: float

PipelineState = Literal["running", "cancelling", "succeeded", "failed", "cancelled"]


class PipelineStep(TypedDict):
    name: str
    needs: List[str]
    when: Optional[str]
    retry: int
    runs: int
    counts: StepCounts
    running: int
    startedAt: Optional[str]
    finishedAt: Optional[str]
    # Micro-dollars as a decimal text.
    costMicroUsd: str
    emissionsGrams: float
    # Why it was skipped.
    why: Optional[str]
    expectedRunMs: float


class PipelineDetail(TypedDict):
    id: str
    kind: Literal["Pipeline", "Sweep"]
    name: str
    team: str
    project: str
    state: PipelineState
    steps: int
    runs: int
    counts: StepCounts
    submittedBy: str
    # ISO 8601, UTC.
    submittedAt: str
    finishedAt: Optional[str]
    deadlineAt: Optional[str]
    budgetMicroUsd: Optional[str]
    # Micro-dollars as a decimal text.
    costMicroUsd: str
    emissionsGrams: float
    labels: Dict[str, str]
    parameters: Dict[str, Union[str, float, bool]]
    parallel: Optional[int]
    # The quote at submission; null for pipelines submitted before there were quotes.
    quote: Optional[PipelineQuote]
    # The trigger that started it.
    triggerId: Optional[str]
    # The template and version that it was run from; null without one.
    template: Optional[JobDetailTemplate]
    stop: Optional[PipelineDetailStop]
    # What is still held in budgets for runs that are to come.
    reservedMicroUsd: str
    stepList: List[PipelineStep]


class PipelineDetailStop(TypedDict):
    metric: str
    goal: Literal["minimize", "maximize"]
    rule: Literal["median", "halving", "none"]
    warmup: float
    reduction: float
    target: Optional[float]


class PipelineRun(TypedDict):
    index: int
    name: str
    step: str
    values: Dict[str, Union[str, float, bool]]
    state: PipelineRunState
    job: Optional[PipelineRunJob]
    tries: int
    exitCode: Optional[int]
    why: Optional[str]
    startedAt: Optional[str]
    finishedAt: Optional[str]
    # Micro-dollars as a decimal text.
    costMicroUsd: str

PipelineRunState = Literal["waiting", "submitted", "succeeded", "failed", "skipped", "cancelled"]


class PipelineRunJob(TypedDict):
    id: str
    state: str


class Trials(TypedDict):
    metric: Optional[str]
    goal: Literal["minimize", "maximize"]
    metrics: List[str]
    # Index of the best trial so far.
    best: Optional[int]
    items: List[TrialsItemsItem]


class TrialsItemsItem(TypedDict):
    index: int
    name: str
    values: Dict[str, Union[str, float, bool]]
    state: PipelineRunState
    jobId: Optional[str]
    best: Optional[float]
    last: Optional[float]
    lastStep: Optional[float]
    # Micro-dollars as a decimal text.
    costMicroUsd: str
    # Why it was stopped early or skipped.
    why: Optional[str]


class ImportedPipelines(TypedDict):
    kind: Literal["argo", "kubeflow"]
    documents: List[Dict[str, Any]]
    findings: List[Finding]
    questions: int


class Trigger(TypedDict):
    id: str
    name: str
    team: str
    source: Union[TriggerSourceCron, TriggerSourceData, TriggerSourceWebhook, TriggerSourceAfter]
    enabled: bool
    createdBy: str
    createdAt: str
    checkedAt: Optional[str]
    # Next time of a schedule.
    nextAt: Optional[str]
    # Why it did not fire at its last check.
    status: Optional[str]
    # The last check failed.
    failed: bool
    # Newest first, at most ten.
    firings: List[TriggerFiringsItem]


class TriggerSourceCron(TypedDict):
    kind: Literal["cron"]
    schedule: str
    zone: str
    missed: Literal["skip", "once", "all"]


class TriggerSourceData(TypedDict):
    kind: Literal["data"]
    uri: str
    files: Optional[float]
    sizeGiB: Optional[float]
    quietMs: float
    everyMs: float
    existing: bool


class TriggerSourceWebhook(TypedDict):
    kind: Literal["webhook"]
    types: List[str]


class TriggerSourceAfter(TypedDict):
    kind: Literal["after"]
    pipeline: str
    states: List[str]


class TriggerFiringsItem(TypedDict):
    key: str
    at: str
    # What the firing saw.
    saw: TriggerFiringsItemSaw
    pipelineId: Optional[str]
    pipelineState: Optional[str]
    # Everything that the firing bought.
    costMicroUsd: str
    # Why no pipeline was started.
    error: Optional[str]


class _TriggerFiringsItemSawRequired(TypedDict):
    time: str


class TriggerFiringsItemSaw(_TriggerFiringsItemSawRequired, total=False):
    files: float
    bytes: float
    uri: str
    objects: List[str]
    event: TriggerFiringsItemSawEvent
    pipeline: PipelineRunJob
    missed: float


class _TriggerFiringsItemSawEventRequired(TypedDict):
    id: str
    type: str
    source: str


class TriggerFiringsItemSawEvent(_TriggerFiringsItemSawEventRequired, total=False):
    subject: str


class Template(TypedDict):
    id: str
    name: str
    team: str
    kind: Literal["Job", "Pipeline", "Sweep"]
    description: str
    version: int
    savedBy: str
    savedAt: str


class TemplateDetail(TypedDict):
    id: str
    name: str
    team: str
    kind: Literal["Job", "Pipeline", "Sweep"]
    description: str
    version: int
    savedBy: str
    savedAt: str
    currentVersion: int
    parameters: List[TemplateDetailParametersItem]
    # The file; null for callers without job:submit for the team.
    source: Optional[str]
    # Newest first, at most 50.
    versions: List[TemplateDetailVersionsItem]


class TemplateDetailParametersItem(TypedDict):
    name: str
    type: Literal["text", "number", "boolean"]
    # null: a value is required.
    default: Optional[Union[str, float, bool]]
    # The only allowed values; null: any value of the type.
    choices: Optional[List[Union[str, float, bool]]]
    description: Optional[str]


class TemplateDetailVersionsItem(TypedDict):
    version: int
    description: str
    savedBy: str
    savedAt: str


class TemplateQuote(TypedDict):
    version: int
    # Of a job; null for the other kinds.
    job: Optional[Quote]
    # Of a pipeline or sweep; null for a job.
    pipeline: Optional[PipelineQuote]


class TemplateRun(TypedDict):
    # Id of the job, pipeline or sweep.
    id: str
    kind: Literal["Job", "Pipeline", "Sweep"]
    name: str
    version: int


class PerformanceSums(TypedDict):
    models: float
    failed: float
    cancelled: float
    waits: Optional[PerformanceTimes]
    timeToModel: Optional[PerformanceTimes]
    gpuHours: float
    attempts: float
    interruptions: float
    lostGpuHours: LostGpuHours
    gpuUtilisation: Optional[float]
    measuredGpuHours: float


class LostGpuHours(TypedDict):
    failed: float
    interrupted: float
    evicted: float
    lost: float
    cancelled: float


class PerformanceTimes(TypedDict):
    meanS: float
    p50S: float
    p95S: float


class Performance(TypedDict):
    fromMs: float
    toMs: float
    zone: str
    groupBy: PerformanceGroupBy
    items: List[PerformanceItemsItem]
    totals: PerformanceSums
    meters: List[PerformanceMetersItem]

PerformanceGroupBy = Literal[
    "team",
    "project",
    "class",
    "accelerator",
    "capacityType",
    "site",
    "day",
    "month",
]


class PerformanceItemsItem(TypedDict):
    models: float
    failed: float
    cancelled: float
    waits: Optional[PerformanceTimes]
    timeToModel: Optional[PerformanceTimes]
    gpuHours: float
    attempts: float
    interruptions: float
    lostGpuHours: LostGpuHours
    gpuUtilisation: Optional[float]
    measuredGpuHours: float
    key: str

PerformanceMetersItem = Literal["agent", "dcgm", "nvidia_smi", "simulated"]


class GpuUseReading(TypedDict):
    node: str
    gpus: float
    utilisation: float


class Artifact(TypedDict):
    id: str
    jobId: str
    attemptId: str
    # The MLflow run that logged the file; null for a declared output.
    runId: Optional[str]
    team: str
    name: str
    kind: OutputSpecKind
    files: int
    bytes: int
    # SHA-256 over the sums and paths of all files: equal for equal content.
    digest: str
    createdAt: str
    expiresAt: Optional[str]
    # When the files were deleted; the record stays as lineage.
    deletedAt: Optional[str]
    # The team's store that has the files; null: the embedded one.
    storeId: Optional[str]
    # Storage cost per month at the store's current price; null: no price is set.
    microUsdPerMonth: Optional[str]
    # Copies to the places that the job names (`to`).
    deliveries: List[ArtifactDeliveriesItem]
    fileList: List[ArtifactFileListItem]


class ArtifactDeliveriesItem(TypedDict):
    target: str
    state: Literal["pending", "delivered", "failed"]
    failures: int
    error: Optional[str]
    nextAt: Optional[str]
    deliveredAt: Optional[str]


class ArtifactFileListItem(TypedDict):
    path: str
    bytes: int
    sha256: str
    mediaType: str


class ArtifactLineage(TypedDict):
    artifactId: str
    jobId: str
    jobName: str
    attempt: int
    place: str
    command: List[str]
    image: Optional[str]
    imageDigest: Optional[str]
    inputs: List[ArtifactLineageInputsItem]
    policyVersion: Optional[int]
    # Of the attempt so far.
    costMicroUsd: str
    emissionsGrams: Optional[float]
    # The newest 50 jobs that have it as data.
    usedBy: List[ArtifactLineageUsedByItem]


class ArtifactLineageInputsItem(TypedDict):
    uri: str
    digest: Optional[str]


class ArtifactLineageUsedByItem(TypedDict):
    jobId: str
    name: str


class _SweptStrayRequired(TypedDict):
    providerInstanceId: str
    region: str
    instanceType: str
    sinceMs: float
    goneMs: Optional[float]


class SweptStray(_SweptStrayRequired, total=False):
    zone: Optional[str]
    capacityType: PlacementCapacityType
    launchedAtMs: float


class _SweepRecordRequired(TypedDict):
    atMs: float
    regions: List[str]
    failedRegions: List[SweepRecordFailedRegionsItem]
    seen: float
    owned: float
    orphans: float


class SweepRecord(_SweepRecordRequired, total=False):
    strays: List[SweptStray]


class _SweepRecordFailedRegionsItemRequired(TypedDict):
    region: str
    message: str


class SweepRecordFailedRegionsItem(_SweepRecordFailedRegionsItemRequired, total=False):
    sinceMs: float


class Slot(TypedDict):
    slot: float
    state: Literal["busy", "free", "unavailable"]
    jobId: Optional[str]
    jobName: Optional[str]
    team: Optional[str]


class PoolDetail(TypedDict):
    id: str
    accelerator: str
    nodes: float
    nodesToCome: float
    noneComes: bool
    gpusPerNode: float
    gpus: float
    busy: float
    unavailable: float
    microUsdPerGpuHour: str
    speed: float
    slots: List[Slot]
    holders: List[PoolDetailHoldersItem]


class PoolDetailHoldersItem(TypedDict):
    jobId: str
    jobName: str
    team: str
    slots: List[float]


class Site(TypedDict):
    id: str
    name: str
    provider: PlacementProvider
    kind: Literal["owned", "cloud"]
    enabled: bool
    healthy: bool
    healthMessage: Optional[str]
    lastSeenAt: Optional[str]
    gpusBusy: float
    gpusTotal: Optional[float]
    instancesLive: float
    burnMicroUsdPerHour: str
    regions: List[str]
    pools: List[PoolDetail]
    lastSweep: Optional[SweepRecord]
    lastOrphanAt: Optional[str]


class _UnpricedPoolRequired(TypedDict):
    id: str
    accelerator: str
    nodes: float
    gpusPerNode: float


class UnpricedPool(_UnpricedPoolRequired, total=False):
    nodesToCome: float


class CredentialSourceChain(TypedDict):
    kind: Literal["chain"]


class CredentialSourceStored(TypedDict):
    kind: Literal["stored"]


class CredentialSourceFile(TypedDict):
    kind: Literal["file"]
    path: str


class CredentialSourceEnvironment(TypedDict):
    kind: Literal["environment"]
    name: str

CredentialSource = Union["CredentialSourceChain", "CredentialSourceStored", "CredentialSourceFile", "CredentialSourceEnvironment"]


class SiteSettings(TypedDict):
    id: str
    name: str
    provider: PlacementProvider
    enabled: bool
    healthy: bool
    healthMessage: Optional[str]
    lastSeenAt: Optional[str]
    settings: Dict[str, Any]
    credentials: SiteSettingsCredentials
    unpricedPools: List[UnpricedPool]


class SiteSettingsCredentials(TypedDict):
    source: CredentialSource
    changedAt: Optional[str]


class CheckStep(TypedDict):
    id: str
    title: str
    outcome: CheckStepOutcome
    found: str
    fix: Optional[str]

CheckStepOutcome = Literal["failed", "unknown", "passed", "skipped"]


class LeastRights(TypedDict):
    title: str
    language: str
    text: str


class _SiteFieldRequired(TypedDict):
    name: str
    label: str
    hint: str
    input: SiteFieldInput
    required: bool


class SiteField(_SiteFieldRequired, total=False):
    placeholder: str
    options: List[str]

SiteFieldInput = Literal["map", "json", "text", "lines", "text_or_map", "secret", "key_file"]


class SiteKind(TypedDict):
    provider: PlacementProvider
    title: str
    owned: bool
    fields: List[SiteField]
    credentialFields: List[SiteField]
    withoutCredentials: Optional[str]
    leastRights: List[LeastRights]
    docs: str


class PricedPool(TypedDict):
    siteId: str
    poolId: str
    accelerator: str
    nodes: float
    gpusPerNode: float
    microUsdPerGpuHour: str
    wattsPerGpu: float


class QueuedForeignJob(TypedDict):
    id: str
    name: str
    user: str
    partition: str
    poolId: Optional[str]
    state: Literal["held", "running", "waiting"]
    waitingReason: Optional[str]
    nodes: float
    gpus: float
    position: Optional[float]
    submittedAt: Optional[str]
    startedAt: Optional[str]
    timeLimitMs: Optional[float]
    dependsOn: Optional[str]
    optedIn: bool
    adoption: Optional[QueuedForeignJobAdoption]
    notAdopted: List[str]


class QueuedForeignJobAdoption(TypedDict):
    id: str
    state: AdoptionState
    jobId: str
    why: Optional[str]
    problem: Optional[str]


class ClusterNode(TypedDict):
    name: str
    poolId: Optional[str]
    state: Literal["ready", "closed", "down"]
    reason: Optional[str]
    gpus: float
    gpusUsed: float


class NodePage(TypedDict):
    items: List[ClusterNode]
    nextCursor: Optional[str]
    counts: NodePageCounts


class NodePageCounts(TypedDict):
    ready: float
    closed: float
    down: float


class OfferDiscount(TypedDict):
    id: str
    partsPerMillion: float
    source: str


class OfferDisk(TypedDict):
    type: str
    gib: float
    microUsdPerMonth: Optional[str]
    observedAt: Optional[str]
    source: str


class Offer(TypedDict):
    id: str
    siteId: str
    provider: PlacementProvider
    region: str
    zone: Optional[str]
    instanceType: str
    accelerator: str
    gpus: float
    vcpus: float
    memoryGiB: float
    capacityType: PlacementCapacityType
    microUsdPerHour: Optional[str]
    microUsdPerGpuHour: Optional[str]
    priceObservedAt: str
    priceStale: bool
    priceSource: str
    disk: Optional[OfferDisk]
    quarantine: Optional[str]
    listMicroUsdPerHour: Optional[str]
    discount: Optional[OfferDiscount]
    quota: Optional[OfferQuota]
    reservedFree: Optional[float]
    commitmentId: Optional[str]
    backoffUntil: Optional[str]
    backoffReason: Optional[str]
    gridGramsPerKwh: Optional[float]
    prices: List[OfferPricesItem]


class OfferQuota(TypedDict):
    name: str
    unit: Literal["gpus", "cores"]
    limit: float
    used: float
    gpusFree: float


class OfferPricesItem(TypedDict):
    atMs: float
    microUsdPerHour: str

_PriceSnapshotRequired = TypedDict(
    "_PriceSnapshotRequired",
    {
        "source": str,
        "provider": str,
        "prices": float,
        "from": str,
        "to": str,
        "importedBy": str,
        "importedAt": str,
    },
)

_PriceSnapshotOptional = TypedDict(
    "_PriceSnapshotOptional",
    {
    },
    total=False,
)


class PriceSnapshot(_PriceSnapshotRequired, _PriceSnapshotOptional):
    pass


class DemandPoint(TypedDict):
    at: str
    p10: float
    p50: float
    p90: float


class DemandForecast(TypedDict):
    groupBy: DemandForecastGroupBy
    learnedHours: float
    ownedGpus: float
    items: List[DemandForecastItemsItem]
    score: Optional[DemandForecastScore]

DemandForecastGroupBy = Literal["total", "team", "class", "accelerator"]


class DemandForecastItemsItem(TypedDict):
    key: str
    hasRange: bool
    points: List[DemandPoint]


class DemandForecastScore(TypedDict):
    forecasts: float
    heldOutWeeks: float
    p50Coverage: float
    p90Coverage: float
    weightedError: float
    naiveWeightedError: float
    change: float


class ForecastScores(TypedDict):
    count: float
    p50Covered: float
    p90Covered: float
    horizons: List[HorizonScore]


class HorizonScore(TypedDict):
    count: float
    p50Covered: float
    p90Covered: float
    horizon: str
    untilMs: Optional[float]
    censored: float
    open: float


class RiskItem(TypedDict):
    instanceId: str
    jobId: Optional[str]
    why: RiskItemWhy
    sinceMs: float
    microUsd: Optional[str]
    isEstimate: bool

RiskItemWhy = Literal["not_seen_gone", "cut_off", "launch_unclear", "past_expiry", "of_nobody"]


class PolicyManagedBy(TypedDict):
    kind: Literal["git"]
    repository: str
    path: str


class PolicyName(TypedDict):
    name: str
    activeVersion: float
    managedBy: Optional[PolicyManagedBy]


class PolicyProblem(TypedDict):
    severity: Literal["error", "warning"]
    line: float
    column: float
    message: str
    fix: Optional[str]


class _SegmentRequired(TypedDict):
    text: str


class Segment(_SegmentRequired, total=False):
    value: bool


class Description(TypedDict):
    id: str
    line: Optional[float]
    group: DescriptionGroup
    sentence: List[Segment]

DescriptionGroup = Literal["burst", "move", "defer", "limit", "remove", "ask", "room", "prefer"]


class Policy(TypedDict):
    name: str
    version: float
    etag: str
    source: str
    author: str
    authorName: str
    message: str
    publishedAt: str
    rolledBack: bool
    origin: Optional[Union[PolicyOrigin, PolicyOriginGit]]
    managedBy: Optional[PolicyManagedBy]
    rules: List[Description]
    sentences: List[Description]
    budgets: List[PolicyBudgetsItem]
    weights: PolicyWeights
    warnings: List[PolicyProblem]
    versions: List[PolicyVersionsItem]


class PolicyOrigin(TypedDict):
    kind: PolicyOriginKind

PolicyOriginKind = Literal["browser", "api", "cli", "seed"]


class PolicyOriginGit(TypedDict):
    kind: Literal["git"]
    repository: str
    commit: str
    path: str


class PolicyBudgetsItem(TypedDict):
    id: str
    scope: str
    period: str
    capMicroUsd: str
    atCap: str


class PolicyWeights(TypedDict):
    delayMicroUsdPerHour: str
    carbonMicroUsdPerTonne: str
    pointsPerGpuHour: float


class PolicyVersionsItem(TypedDict):
    version: float
    author: str
    authorName: str
    message: str
    createdAt: str


class Published(TypedDict):
    outcome: Literal["published", "unchanged", "proposed"]
    version: float
    proposalId: Optional[str]
    warnings: List[PolicyProblem]

_PolicyEffectsRequired = TypedDict(
    "_PolicyEffectsRequired",
    {
        "version": float,
        "from": str,
        "to": str,
        "placements": float,
        "truncated": bool,
        "rules": List["PolicyEffectsRulesItem"],
    },
)

_PolicyEffectsOptional = TypedDict(
    "_PolicyEffectsOptional",
    {
    },
    total=False,
)


class PolicyEffects(_PolicyEffectsRequired, _PolicyEffectsOptional):
    pass


class PolicyEffectsRulesItem(TypedDict):
    ruleId: str
    jobs: float
    places: float
    changed: float
    costMicroUsd: Optional[str]
    sent: float


class Publication(TypedDict):
    id: str
    kind: Literal["publish", "rollback"]
    at: str
    by: str
    byName: str
    approvedBy: Optional[str]
    approvedByName: Optional[str]
    backtestId: Optional[str]
    noBacktestReason: Optional[str]


class Version(TypedDict):
    version: float
    author: str
    authorName: str
    message: str
    createdAt: str
    baseVersion: Optional[float]
    origin: Optional[Union[PolicyOrigin, PolicyOriginGit]]
    inForce: bool
    publications: List[Publication]


class VersionDetail(TypedDict):
    version: float
    author: str
    authorName: str
    message: str
    createdAt: str
    baseVersion: Optional[float]
    origin: Optional[Union[PolicyOrigin, PolicyOriginGit]]
    inForce: bool
    publications: List[Publication]
    name: str
    source: str
    etag: str
    sentences: Optional[List[Description]]


class LineRun(TypedDict):
    kind: Literal["removed", "added", "same"]
    oldLine: float
    newLine: float
    lines: List[str]


class PolicyChange(TypedDict):
    kind: PolicyChangeKind
    id: str
    group: DescriptionGroup
    before: Optional[PolicyChangeBefore]
    after: Optional[PolicyChangeBefore]

PolicyChangeKind = Literal["changed", "removed", "added", "moved"]


class PolicyChangeBefore(TypedDict):
    line: Optional[float]
    sentence: List[Segment]


class PolicyCheck(TypedDict):
    ok: bool
    problems: List[PolicyProblem]
    sentences: Optional[List[Description]]
    published: Optional[PolicyCheckPublished]


class PolicyCheckPublished(TypedDict):
    changes: Optional[List[PolicyChange]]
    lines: List[LineRun]
    version: float


class MergeConflict(TypedDict):
    key: str
    kind: MergeConflictKind
    id: Optional[str]
    base: Optional[str]
    mine: Optional[str]
    theirs: Optional[str]
    message: str

MergeConflictKind = Literal["text", "rule", "budget", "order"]


class PolicySettings(TypedDict):
    secondPerson: bool


class PolicyDraft(TypedDict):
    source: str
    baseVersion: float
    updatedAt: str


class BacktestPlace(TypedDict):
    place: Optional[str]
    waitMs: Optional[float]
    costMicroUsd: str
    emissionsGrams: Optional[float]
    finishedAtMs: Optional[float]
    explanation: str

_BacktestMoveRequired = TypedDict(
    "_BacktestMoveRequired",
    {
        "jobId": str,
        "name": str,
        "team": str,
        "class": "JobClass",
        "gpus": float,
        "submittedAtMs": float,
        "deadlineAtMs": Optional[float],
        "published": "BacktestPlace",
        "draft": "BacktestPlace",
    },
)

_BacktestMoveOptional = TypedDict(
    "_BacktestMoveOptional",
    {
    },
    total=False,
)


class BacktestMove(_BacktestMoveRequired, _BacktestMoveOptional):
    pass


class BacktestDay(TypedDict):
    date: str
    cloudCostMicroUsd: str
    meanWaitMs: Optional[float]
    missedDeadlines: float
    emissionsGrams: Optional[float]


class BacktestSums(TypedDict):
    jobs: float
    cloudCostMicroUsd: str
    ownedGpuHours: float
    cloudGpuHours: float
    ownedUtilisation: float
    meanWaitMs: float
    p95WaitMs: float
    missedDeadlines: float
    egressGiB: float
    emissionsGrams: Optional[float]
    waits: List[BacktestSumsWaitsItem]
    budgets: List[BacktestSumsBudgetsItem]
    days: List[BacktestDay]
    waitingAtEnd: float
    runningAtEnd: float
    askedForApproval: float
    deadlines: float

_BacktestSumsWaitsItemRequired = TypedDict(
    "_BacktestSumsWaitsItemRequired",
    {
        "team": str,
        "class": "JobClass",
        "jobs": float,
        "meanWaitMs": float,
    },
)

_BacktestSumsWaitsItemOptional = TypedDict(
    "_BacktestSumsWaitsItemOptional",
    {
    },
    total=False,
)


class BacktestSumsWaitsItem(_BacktestSumsWaitsItemRequired, _BacktestSumsWaitsItemOptional):
    pass


class BacktestSumsBudgetsItem(TypedDict):
    id: str
    periodKey: str
    capMicroUsd: str
    postedMicroUsd: str


class BacktestResult(TypedDict):
    published: BacktestSums
    draft: BacktestSums
    moved: List[BacktestMove]
    movedCount: float
    gaps: List[str]
    replayedJobs: float
    replaySeconds: float


class BacktestEstimate(TypedDict):
    fromMs: float
    jobs: float
    ofJobs: float
    publishedCostMicroUsd: str
    draftCostMicroUsd: str
    costErrorMicroUsd: Optional[str]
    publishedMeanWaitMs: float
    draftMeanWaitMs: float
    waitErrorMs: Optional[float]

_BacktestRequired = TypedDict(
    "_BacktestRequired",
    {
        "id": str,
        "policyName": str,
        "baseVersion": float,
        "from": str,
        "to": str,
        "state": "BacktestState",
        "progressPermille": float,
        "error": Optional[str],
        "createdAt": str,
        "createdBy": str,
        "automatic": bool,
        "startedAt": Optional[str],
        "finishedAt": Optional[str],
        "source": str,
        "estimate": Optional["BacktestEstimate"],
        "result": Optional["BacktestResult"],
    },
)

_BacktestOptional = TypedDict(
    "_BacktestOptional",
    {
    },
    total=False,
)


class Backtest(_BacktestRequired, _BacktestOptional):
    pass

BacktestState = Literal["failed", "cancelled", "queued", "running", "done"]

_BacktestSummaryRequired = TypedDict(
    "_BacktestSummaryRequired",
    {
        "id": str,
        "policyName": str,
        "baseVersion": float,
        "from": str,
        "to": str,
        "state": "BacktestState",
        "progressPermille": float,
        "error": Optional[str],
        "createdAt": str,
        "createdBy": str,
        "automatic": bool,
        "startedAt": Optional[str],
        "finishedAt": Optional[str],
    },
)

_BacktestSummaryOptional = TypedDict(
    "_BacktestSummaryOptional",
    {
    },
    total=False,
)


class BacktestSummary(_BacktestSummaryRequired, _BacktestSummaryOptional):
    pass


class ShadowChoice(TypedDict):
    outcome: ShadowChoiceOutcome
    place: Optional[str]
    costMicroUsd: str
    sentence: str

ShadowChoiceOutcome = Literal["home", "held", "cloud", "waits", "denied"]


class Shadow(TypedDict):
    id: str
    baseVersion: float
    source: str
    startedAt: str
    startedBy: str
    stoppedAt: Optional[str]
    decided: float
    agreed: float
    publishedMicroUsd: str
    draftMicroUsd: str
    differences: List[ShadowDifferencesItem]


class ShadowDifferencesItem(TypedDict):
    jobId: str
    name: str
    team: str
    decidedAt: str
    published: ShadowChoice
    draft: ShadowChoice


class Upload(TypedDict):
    id: str
    name: str
    bytes: float


class PlanStudy(TypedDict):
    id: str
    source: Literal["records", "upload", "open"]
    name: str
    state: BacktestState
    progressPermille: float
    error: Optional[str]
    createdAt: str
    createdBy: str
    startedAt: Optional[str]
    finishedAt: Optional[str]
    result: Optional[PlanStudyResult]


class _PlanStudyResultRequired(TypedDict):
    assessment: PlanAssessmentDocument
    comparison: PlanComparisonDocument


class PlanStudyResult(_PlanStudyResultRequired, total=False):
    headline: PlanHeadlineDocument


class PlanAssessmentDocument(TypedDict):
    apiVersion: Literal["spillway/v1"]
    kind: Literal["PlanAssessment"]


class PlanComparisonDocument(TypedDict):
    apiVersion: Literal["spillway/v1"]
    kind: Literal["PlanComparison"]
    decision: PlanComparisonDocumentDecision


class PlanComparisonDocumentDecision(TypedDict):
    verdict: Literal["go", "pilot", "no_go"]
    headline: str
    summary: str


class PlanHeadlineDocument(TypedDict):
    apiVersion: Literal["spillway/v1"]
    kind: Literal["PlanHeadline"]


class PlanStudySummary(TypedDict):
    id: str
    source: Literal["records", "upload", "open"]
    name: str
    state: BacktestState
    progressPermille: float
    error: Optional[str]
    createdAt: str
    createdBy: str
    startedAt: Optional[str]
    finishedAt: Optional[str]


class PlanStudyDemand(TypedDict):
    jobs: float
    demand: PlanStudyDemandDemand
    profile: Optional[PlanStudyDemandProfile]
    teams: List[str]
    classes: List[str]
    gpus: List[str]


class PlanStudyDemandDemand(TypedDict):
    meanGpus: float
    peakGpus: float


class PlanStudyDemandProfile(TypedDict):
    waits: PlanStudyDemandProfileWaits
    candidates: List[PlanStudyDemandProfileCandidatesItem]
    candidatesLeftOut: float


class PlanStudyDemandProfileWaits(TypedDict):
    bySize: List[PlanStudyDemandProfileWaitsBySizeItem]


class PlanStudyDemandProfileWaitsBySizeItem(TypedDict):
    name: str
    jobs: float


class PlanStudyDemandProfileCandidatesItem(TypedDict):
    team: str
    label: str
    score: float


class PlanDecision(TypedDict):
    study: PlanStudySummary
    sha256: str
    verdict: Literal["go", "pilot", "no_go"]
    headline: str
    summary: str
    tests: List[PlanDecisionTestsItem]
    pilot: Optional[PlanDecisionPilot]
    recommended: str
    options: List[PlanDecisionOptionsItem]
    assumptions: List[PlanDecisionAssumptionsItem]
    outcome: Optional[PlanDecisionOutcome]


class PlanDecisionTestsItem(TypedDict):
    about: Literal["burst", "buy"]
    test: str
    found: str
    passed: bool


class PlanDecisionPilot(TypedDict):
    family: str
    team: str
    policy: str
    weeks: float
    capUsd: float
    measure: List[str]
    stopWhen: List[str]


class PlanDecisionOptionsItem(TypedDict):
    id: str
    label: str
    ownedGpus: float
    meanTimeToModelS: Optional[float]
    meanWaitS: Optional[float]
    cloudUsd: float
    totalUsd: float
    npvUsd: float


class PlanDecisionAssumptionsItem(TypedDict):
    name: str
    value: str
    source: str


class PlanDecisionOutcome(TypedDict):
    expected: PlanDecisionOutcomeExpected
    months: List[PlanDecisionOutcomeMonthsItem]


class PlanDecisionOutcomeExpected(TypedDict):
    label: str
    meanTimeToModelS: Optional[float]
    meanWaitS: Optional[float]
    cloudUsd: float


class PlanDecisionOutcomeMonthsItem(TypedDict):
    month: str
    isPart: bool
    models: float
    meanTimeToModelS: Optional[float]
    meanWaitS: Optional[float]
    cloudUsd: float


class JobSpend(TypedDict):
    fromMs: float
    toMs: float
    zone: str
    groupBy: Literal["job"]
    items: List[JobSpendItemsItem]
    nextCursor: Optional[str]

_JobSpendItemsItemRequired = TypedDict(
    "_JobSpendItemsItemRequired",
    {
        "key": str,
        "name": str,
        "team": str,
        "project": str,
        "class": str,
        "state": str,
        "totalMicroUsd": str,
        "listMicroUsd": str,
        "billedMicroUsd": str,
        "gpuMs": str,
        "energyMilliWh": str,
        "emissionsMilligrams": str,
        "charges": float,
    },
)

_JobSpendItemsItemOptional = TypedDict(
    "_JobSpendItemsItemOptional",
    {
    },
    total=False,
)


class JobSpendItemsItem(_JobSpendItemsItemRequired, _JobSpendItemsItemOptional):
    pass

_RatesUsedRequired = TypedDict(
    "_RatesUsedRequired",
    {
        "currency": str,
        "from": Optional[str],
        "to": Optional[str],
        "sources": List[str],
    },
)

_RatesUsedOptional = TypedDict(
    "_RatesUsedOptional",
    {
    },
    total=False,
)


class RatesUsed(_RatesUsedRequired, _RatesUsedOptional):
    pass


class ConvertedSpend(TypedDict):
    ownedMicro: str
    idleMicro: str
    cloudMicro: str
    totalMicro: str


class _SpendRequired(TypedDict):
    fromMs: float
    toMs: float
    zone: str
    groupBy: SpendGroupBy
    items: List[SpendItemsItem]
    totals: SpendTotals


class Spend(_SpendRequired, total=False):
    rates: RatesUsed

SpendGroupBy = Literal[
    "site",
    "project",
    "class",
    "provider",
    "region",
    "accelerator",
    "kind",
    "month",
    "team",
    "day",
    "week",
    "capacityType",
]


class _SpendItemsItemRequired(TypedDict):
    ownedMicroUsd: str
    idleMicroUsd: str
    cloudMicroUsd: str
    totalMicroUsd: str
    spotMicroUsd: str
    onDemandMicroUsd: str
    reservedMicroUsd: str
    gpuMs: str
    ownedGpuMs: str
    cloudGpuMs: str
    spotGpuMs: str
    onDemandGpuMs: str
    reservedGpuMs: str
    idleGpuMs: str
    energyMilliWh: str
    emissionsMilligrams: str
    key: str


class SpendItemsItem(_SpendItemsItemRequired, total=False):
    converted: ConvertedSpend


class _SpendTotalsRequired(TypedDict):
    ownedMicroUsd: str
    idleMicroUsd: str
    cloudMicroUsd: str
    totalMicroUsd: str
    spotMicroUsd: str
    onDemandMicroUsd: str
    reservedMicroUsd: str
    gpuMs: str
    ownedGpuMs: str
    cloudGpuMs: str
    spotGpuMs: str
    onDemandGpuMs: str
    reservedGpuMs: str
    idleGpuMs: str
    energyMilliWh: str
    emissionsMilligrams: str


class SpendTotals(_SpendTotalsRequired, total=False):
    converted: ConvertedSpend


class Variance(TypedDict):
    after: VarianceAfter
    before: VarianceAfter
    beforeMicroUsd: str
    afterMicroUsd: str
    byCause: VarianceByCause
    parts: List[VariancePartsItem]
    sentence: Optional[str]


class VarianceAfter(TypedDict):
    fromMs: float
    toMs: float


class VarianceByCause(TypedDict):
    started: str
    ended: str
    hours: str
    capacity: str
    place: str
    price: str
    lost: str
    idle: str
    other: str


class VariancePartsItem(TypedDict):
    cause: VariancePartsItemCause
    team: str
    project: str
    microUsd: str
    beforeGpuMs: str
    afterGpuMs: str

VariancePartsItemCause = Literal[
    "started",
    "ended",
    "hours",
    "capacity",
    "place",
    "price",
    "lost",
    "idle",
    "other",
]


class ClosedVersion(TypedDict):
    month: str
    team: str
    version: float


class Cut(TypedDict):
    atMs: float
    statement: Optional[ClosedVersion]


class ChargeTotals(TypedDict):
    gpuMs: str
    listMicroUsd: str
    contractedMicroUsd: str
    effectiveMicroUsd: str
    billedMicroUsd: str
    energyMilliWh: str
    measuredEnergyMilliWh: str
    hourlyGridMilliWh: str
    emissionsMilligrams: str
    embodiedMilligrams: str
    emissionsUnknownGpuMs: str
    embodiedUnknownGpuMs: str
    charges: str

_ChargeDimensionsRequired = TypedDict(
    "_ChargeDimensionsRequired",
    {
        "team": str,
        "project": str,
        "class": "ChargeDimensionsClass",
        "siteId": str,
        "provider": "PlacementProvider",
        "region": str,
        "capacityType": "PlacementCapacityType",
        "accelerator": str,
        "kind": "ChargeDimensionsKind",
    },
)

_ChargeDimensionsOptional = TypedDict(
    "_ChargeDimensionsOptional",
    {
    },
    total=False,
)


class ChargeDimensions(_ChargeDimensionsRequired, _ChargeDimensionsOptional):
    pass

ChargeDimensionsClass = Literal[
    "",
    "burst",
    "baseline",
    "experimental",
    "sensitive",
    "batch_inference",
]

ChargeDimensionsKind = Literal[
    "compute",
    "idle",
    "egress",
    "storage",
    "adjustment",
    "boot",
    "staging",
    "commitment",
    "credit",
    "tax",
    "kept_warm",
]


class ChargePage(TypedDict):
    fromMs: float
    toMs: float
    zone: str
    items: List[ChargeLine]
    nextCursor: Optional[str]
    totals: ChargeTotals
    asOf: Optional[Cut]
    since: Optional[Cut]
    later: Optional[ChargePageLater]
    budget: Optional[ChargePageBudget]
    may: ChargePageMay


class ChargePageLater(TypedDict):
    effectiveMicroUsd: str
    charges: str


class ChargePageBudget(TypedDict):
    id: str
    postedMicroUsd: str


class ChargePageMay(TypedDict):
    refund: bool


class Refund(TypedDict):
    chargeId: str
    refundedMicroUsd: str
    leftMicroUsd: str


class LedgerCheck(TypedDict):
    checkedAtMs: float
    tookMs: float
    ok: bool
    charges: float
    differenceCount: float
    differences: List[LedgerCheckDifferencesItem]


class LedgerCheckDifferencesItem(TypedDict):
    granularity: str
    bucketStartMs: float
    dimensions: str
    column: str
    rollup: str
    charges: str


class CarbonSums(TypedDict):
    gpuMs: str
    energyMilliWh: str
    measuredEnergyMilliWh: str
    hourlyGridMilliWh: str
    operationalMilligrams: str
    embodiedMilligrams: str
    emissionsUnknownGpuMs: str
    embodiedUnknownGpuMs: str
    owned: SideSums
    idle: SideSums
    cloud: SideSums
    totalMilligrams: str
    marketMilligrams: str
    marketUnknownGpuMs: str


class SideSums(TypedDict):
    gpuMs: str
    energyMilliWh: str
    measuredEnergyMilliWh: str
    hourlyGridMilliWh: str
    operationalMilligrams: str
    embodiedMilligrams: str
    emissionsUnknownGpuMs: str
    embodiedUnknownGpuMs: str


class Carbon(TypedDict):
    fromMs: float
    toMs: float
    zone: str
    groupBy: SpendGroupBy
    items: List[CarbonItemsItem]
    totals: CarbonSums


class CarbonItemsItem(TypedDict):
    gpuMs: str
    energyMilliWh: str
    measuredEnergyMilliWh: str
    hourlyGridMilliWh: str
    operationalMilligrams: str
    embodiedMilligrams: str
    emissionsUnknownGpuMs: str
    embodiedUnknownGpuMs: str
    owned: SideSums
    idle: SideSums
    cloud: SideSums
    totalMilligrams: str
    marketMilligrams: str
    marketUnknownGpuMs: str
    key: str


class CarbonVariance(TypedDict):
    after: VarianceAfter
    before: VarianceAfter
    beforeMilligrams: str
    afterMilligrams: str
    byCause: CarbonVarianceByCause
    parts: List[CarbonVariancePartsItem]
    sentence: Optional[str]


class CarbonVarianceByCause(TypedDict):
    started: str
    ended: str
    hours: str
    place: str
    power: str
    grid: str
    embodied: str
    lost: str
    idle: str
    other: str


class CarbonVariancePartsItem(TypedDict):
    cause: CarbonVariancePartsItemCause
    team: str
    project: str
    milligrams: str
    beforeGpuMs: str
    afterGpuMs: str

CarbonVariancePartsItemCause = Literal[
    "started",
    "ended",
    "hours",
    "place",
    "power",
    "grid",
    "embodied",
    "lost",
    "idle",
    "other",
]


class Comparison(TypedDict):
    gpuMs: str
    actualMilligrams: str
    counterfactualMilligrams: str
    avoidedMilligrams: str
    against: Literal["home", "removed_offer"]
    calculation: str
    jobs: Optional[float]


class AvoidedEmissions(TypedDict):
    fromMs: float
    toMs: float
    home: Optional[Comparison]
    removedOffer: Optional[Comparison]


class GridCell(TypedDict):
    hourMs: float
    gramsPerKwh: Optional[float]
    basis: Literal["hour", "forecast", "average"]


class GridPlace(TypedDict):
    siteId: str
    name: str
    provider: PlacementProvider
    region: str
    zone: Optional[str]
    pue: Optional[float]
    averageGramsPerKwh: Optional[float]
    averageYear: Optional[float]
    meanGramsPerKwh: Optional[float]
    hadWork: bool
    cells: List[GridCell]


class Grid(TypedDict):
    dayStartMs: float
    places: List[GridPlace]


class ImportedIntensity(TypedDict):
    zones: List[ImportedIntensityZonesItem]
    added: float
    replaced: float
    kept: float
    unchanged: float
    note: str


class ImportedIntensityZonesItem(TypedDict):
    zone: str
    hours: float
    fromMs: float
    toMs: float


class SpendForecast(TypedDict):
    lowMicroUsd: str
    expectedMicroUsd: str
    highMicroUsd: str
    samples: float


class BudgetStatus(TypedDict):
    id: str
    scope: str
    period: Literal["month", "quarter", "year"]
    periodKey: str
    periodStartMs: float
    periodEndMs: float
    atCap: Literal["hold", "checkpoint-and-return", "terminate"]
    capMicroUsd: str
    postedMicroUsd: str
    heldMicroUsd: str
    freeMicroUsd: str
    forecast: Optional[SpendForecast]


class PastPeriod(TypedDict):
    periodKey: str
    fromMs: float
    toMs: float
    postedMicroUsd: str
    capMicroUsd: Optional[str]


class BudgetDetail(TypedDict):
    id: str
    scope: str
    period: Literal["month", "quarter", "year"]
    periodKey: str
    periodStartMs: float
    periodEndMs: float
    atCap: Literal["hold", "checkpoint-and-return", "terminate"]
    capMicroUsd: str
    postedMicroUsd: str
    heldMicroUsd: str
    freeMicroUsd: str
    forecast: Optional[SpendForecast]
    policyVersion: float
    sentence: str
    days: List[BudgetDetailDaysItem]
    ahead: List[BudgetDetailAheadItem]
    machines: float
    teams: List[BudgetDetailTeamsItem]
    otherTeamsMicroUsd: str
    seesAllTeams: bool
    jobs: List[BudgetDetailJobsItem]
    history: List[PastPeriod]


class BudgetDetailDaysItem(TypedDict):
    dayStartMs: float
    postedMicroUsd: str


class BudgetDetailAheadItem(TypedDict):
    atMs: float
    lowMicroUsd: str
    expectedMicroUsd: str
    highMicroUsd: str


class BudgetDetailTeamsItem(TypedDict):
    team: str
    postedMicroUsd: str


class BudgetDetailJobsItem(TypedDict):
    jobId: str
    name: str
    team: str
    state: str
    postedMicroUsd: str


class BudgetOutlook2(TypedDict):
    lowMicroUsd: str
    expectedMicroUsd: str
    highMicroUsd: str
    heldMicroUsd: str
    teams: List[BudgetOutlook2TeamsItem]
    others: Optional[BudgetOutlook2Others]


class BudgetOutlook2TeamsItem(TypedDict):
    team: str
    unchangedMicroUsd: str
    lowMicroUsd: str
    expectedMicroUsd: str
    highMicroUsd: str
    demand: Optional[BudgetOutlook2TeamsItemDemand]


class BudgetOutlook2TeamsItemDemand(TypedDict):
    p10: float
    p50: float
    p90: float


class BudgetOutlook2Others(TypedDict):
    unchangedMicroUsd: str
    lowMicroUsd: str
    expectedMicroUsd: str
    highMicroUsd: str

BudgetOutlook = Optional["BudgetOutlook2"]


class CapChangedChanged(TypedDict):
    kind: Literal["changed"]
    policyVersion: float
    fromMicroUsd: str
    toMicroUsd: str


class CapChangedProposed(TypedDict):
    kind: Literal["proposed"]
    proposalId: str
    fromMicroUsd: str
    toMicroUsd: str

CapChanged = Union["CapChangedChanged", "CapChangedProposed"]

SecondPersonOf = Literal["policies", "budgets"]


class SecondPersonOff(TypedDict):
    id: str
    message: str
    proposedBy: str
    proposedAt: str
    decision: Optional[Literal["approved", "rejected", "withdrawn"]]
    decidedBy: Optional[str]
    decidedAt: Optional[str]
    mine: bool
    kind: Literal["second_person_off"]
    secondPersonOf: SecondPersonOf


class PolicyProposal(TypedDict):
    id: str
    message: str
    proposedBy: str
    proposedAt: str
    decision: Optional[Literal["approved", "rejected", "withdrawn"]]
    decidedBy: Optional[str]
    decidedAt: Optional[str]
    mine: bool
    kind: Literal["policy_publish"]
    policyName: str
    source: str
    rollbackTo: Optional[float]
    origin: Optional[Union[PolicyOrigin, PolicyOriginGit]]
    backtestId: Optional[str]
    noBacktestReason: Optional[str]
    stale: bool
    policyVersion: float


class CapProposal(TypedDict):
    id: str
    message: str
    proposedBy: str
    proposedAt: str
    decision: Optional[Literal["approved", "rejected", "withdrawn"]]
    decidedBy: Optional[str]
    decidedAt: Optional[str]
    mine: bool
    kind: Literal["budget_cap"]
    budgetId: str
    added: Optional[CapProposalAdded]
    fromMicroUsd: str
    toMicroUsd: str
    stale: bool
    policyVersion: float


class CapProposalAdded(TypedDict):
    scope: str
    period: Literal["month", "quarter", "year"]

Proposal = Union["CapProposal", "PolicyProposal", "SecondPersonOff"]


class ApprovalQuote(TypedDict):
    placement: Placement
    costMicroUsd: str
    hourlyMicroUsd: str
    startP50Ms: float
    homeStartP50Ms: Optional[float]
    emissionsGrams: Optional[float]
    decisionId: Optional[str]


class Approval(TypedDict):
    id: str
    state: ApprovalState
    job: ApprovalJob
    ruleId: str
    condition: Optional[str]
    policyName: str
    policyVersion: float
    role: Literal["platform", "data_scientist", "finance"]
    quote: ApprovalQuote
    requestedAt: str
    expiresAt: str
    upToMicroUsd: Optional[str]
    decidedBy: Optional[str]
    decidedAt: Optional[str]
    note: Optional[str]
    mine: bool
    mayAnswer: bool
    budget: Optional[QuoteBudgetFree]

ApprovalState = Literal["open", "withdrawn", "granted", "refused", "expired"]

_ApprovalJobRequired = TypedDict(
    "_ApprovalJobRequired",
    {
        "id": str,
        "name": str,
        "team": str,
        "class": "JobClass",
        "gpus": float,
        "state": "JobState",
        "reason": "Reason",
        "submittedBy": str,
        "submittedAt": str,
        "deadlineAt": Optional[str],
    },
)

_ApprovalJobOptional = TypedDict(
    "_ApprovalJobOptional",
    {
    },
    total=False,
)


class ApprovalJob(_ApprovalJobRequired, _ApprovalJobOptional):
    pass


class ApprovalOutlook(TypedDict):
    role: Literal["platform", "data_scientist", "finance"]
    people: List[str]
    medianMs: Optional[float]
    answered: float


class DecidedApproval(TypedDict):
    id: str
    jobId: str
    state: Literal["granted", "refused"]
    upToMicroUsd: Optional[str]


class Alert(TypedDict):
    id: str
    rule: AlertRule
    subject: str
    team: Optional[str]
    title: str
    text: str
    facts: Dict[str, Optional[Union[str, float]]]
    openedAt: str
    closedAt: Optional[str]
    sent: List[AlertSentItem]

AlertRule = Literal[
    "budget_threshold",
    "budget_forecast_overrun",
    "spend_anomaly",
    "money_at_risk",
    "billed_unknown",
    "ledger_mismatch",
    "audit_chain_broken",
    "approval_waiting",
    "delivery_failing",
    "site_unhealthy",
    "no_leader",
    "job_stuck",
    "sweep_failing",
    "credential_expiring",
    "rates_missing",
]


class AlertSentItem(TypedDict):
    channel: str
    state: Literal["failed", "pending", "sent"]


class Channel(TypedDict):
    id: str
    name: str
    kind: ChannelKind
    target: str
    problem: Optional[str]
    topics: List[str]
    team: Optional[str]
    pipeline: Optional[str]
    digest: Literal["immediate", "hourly", "daily"]
    enabled: bool
    createdAt: str

ChannelKind = Literal["email", "slack", "teams", "webhook", "cloudevents"]


class Delivery(TypedDict):
    id: str
    channelId: str
    channelName: str
    channelKind: str
    about: str
    title: str
    state: Literal["failed", "pending", "sent"]
    tries: float
    triesMax: float
    lastError: Optional[str]
    createdAt: str
    sentAt: Optional[str]
    nextTryAt: Optional[str]

_PoolMonthRequired = TypedDict(
    "_PoolMonthRequired",
    {
        "from": str,
        "to": str,
        "depreciationMicroUsd": str,
        "rackMicroUsd": str,
        "networkMicroUsd": str,
        "supportMicroUsd": str,
        "staffMicroUsd": str,
        "hours": float,
        "hoursPriced": float,
        "electricitySources": List[str],
        "busyMicroUsdPerGpuHour": str,
        "idleMicroUsdPerGpuHour": str,
    },
)

_PoolMonthOptional = TypedDict(
    "_PoolMonthOptional",
    {
    },
    total=False,
)


class PoolMonth(_PoolMonthRequired, _PoolMonthOptional):
    pass


class RateCard(TypedDict):
    id: str
    effectiveFrom: str
    card: RateCardCard
    message: str
    author: str
    createdAt: str


class RateCardCard(TypedDict):
    assets: List[RateCardCardAssetsItem]
    power: RateCardCardPower
    perYear: RateCardCardPerYear


class RateCardCardAssetsItem(TypedDict):
    id: str
    name: str
    inServiceOn: str
    priceUsd: str
    residualUsd: str
    lifeMonths: float
    method: Union[RateCardCardAssetsItemMethodStraightLine, RateCardCardAssetsItemMethodDecliningBalance]
    embodiedKg: Optional[str]
    source: Optional[str]


class RateCardCardAssetsItemMethodStraightLine(TypedDict):
    kind: Literal["straight_line"]


class RateCardCardAssetsItemMethodDecliningBalance(TypedDict):
    kind: Literal["declining_balance"]
    ratePerYear: str


class _RateCardCardPowerRequired(TypedDict):
    busyWattsPerGpu: str
    idleWattsPerGpu: str
    pue: str
    electricityUsdPerKwh: str
    contractGramsPerKwh: Optional[str]


class RateCardCardPower(_RateCardCardPowerRequired, total=False):
    electricityHours: List[RateCardCardPowerElectricityHoursItem]
    measured: RateCardCardPowerMeasured


class _RateCardCardPowerElectricityHoursItemRequired(TypedDict):
    fromHour: float
    toHour: float
    usdPerKwh: str


class RateCardCardPowerElectricityHoursItem(_RateCardCardPowerElectricityHoursItemRequired, total=False):
    days: List[RateCardCardPowerElectricityHoursItemDaysItem]

RateCardCardPowerElectricityHoursItemDaysItem = Literal[
    "mon",
    "tue",
    "wed",
    "thu",
    "fri",
    "sat",
    "sun",
]

_RateCardCardPowerMeasuredRequired = TypedDict(
    "_RateCardCardPowerMeasuredRequired",
    {
        "kwh": str,
        "from": str,
        "to": str,
    },
)

_RateCardCardPowerMeasuredOptional = TypedDict(
    "_RateCardCardPowerMeasuredOptional",
    {
    },
    total=False,
)


class RateCardCardPowerMeasured(_RateCardCardPowerMeasuredRequired, _RateCardCardPowerMeasuredOptional):
    pass


class RateCardCardPerYear(TypedDict):
    rackUsd: str
    networkUsd: str
    supportUsd: str
    staffUsd: str


class PoolRates(TypedDict):
    siteId: str
    poolId: str
    accelerator: str
    gpus: float
    flatMicroUsdPerGpuHour: str
    current: Optional[RateCard]
    month: Optional[PoolMonth]
    history: List[RateCard]


class RateCardSet(TypedDict):
    corrections: float
    correctedMicroUsd: str
    id: str
    effectiveFrom: str


class MeasuredPowerSet(TypedDict):
    corrections: float
    correctedMicroUsd: str
    estimatedKwh: str
    cards: List[MeasuredPowerSetCardsItem]


class MeasuredPowerSetCardsItem(TypedDict):
    effectiveFrom: str
    busyWattsPerGpu: str
    idleWattsPerGpu: str

_ElectricityHourRequired = TypedDict(
    "_ElectricityHourRequired",
    {
        "from": str,
        "usdPerKwh": str,
        "source": str,
    },
)

_ElectricityHourOptional = TypedDict(
    "_ElectricityHourOptional",
    {
    },
    total=False,
)


class ElectricityHour(_ElectricityHourRequired, _ElectricityHourOptional):
    pass

_ElectricityPricesSetRequired = TypedDict(
    "_ElectricityPricesSetRequired",
    {
        "corrections": float,
        "correctedMicroUsd": str,
        "from": str,
        "to": str,
        "added": float,
        "replaced": float,
        "unchanged": float,
    },
)

_ElectricityPricesSetOptional = TypedDict(
    "_ElectricityPricesSetOptional",
    {
    },
    total=False,
)


class ElectricityPricesSet(_ElectricityPricesSetRequired, _ElectricityPricesSetOptional):
    pass

_CommitmentRequired = TypedDict(
    "_CommitmentRequired",
    {
        "id": str,
        "siteId": str,
        "kind": Literal["commitment", "reservation"],
        "region": Optional[str],
        "instanceType": str,
        "zone": Optional[str],
        "reservation": Optional[str],
        "accelerator": str,
        "instances": float,
        "upfrontMicroUsd": str,
        "hourlyMicroUsd": str,
        "from": str,
        "to": str,
    },
)

_CommitmentOptional = TypedDict(
    "_CommitmentOptional",
    {
    },
    total=False,
)


class Commitment(_CommitmentRequired, _CommitmentOptional):
    pass

_DiscountRequired = TypedDict(
    "_DiscountRequired",
    {
        "id": str,
        "siteId": str,
        "capacityType": Literal["spot", "on_demand"],
        "percent": str,
        "instanceFamilies": List[str],
        "regions": List[str],
        "from": str,
        "to": Optional[str],
        "source": str,
        "offersNow": float,
    },
)

_DiscountOptional = TypedDict(
    "_DiscountOptional",
    {
    },
    total=False,
)


class Discount(_DiscountRequired, _DiscountOptional):
    pass


class ExchangeRate(TypedDict):
    currency: str
    date: str
    rate: str
    units: str
    usd: str
    source: str
    importedBy: str
    importedAt: str


class SharedDataSet(TypedDict):
    uri: str
    # Place of the store.
    at: str
    # Jobs that read it there from elsewhere in the last 30 days.
    jobs: float
    # Egress of these reads, as held.
    egressMicroUsd: float
    # Egress that a copy would save while it is fresh, for at most 30 days.
    savedMicroUsd: float
    # Egress and storage of the copy in that time; null: no storage price.
    costMicroUsd: Optional[float]
    isWorth: bool
    # Whether the store makes such copies by itself.
    share: bool
    # Pays for the egress of the copy.
    team: str


class DataCache(TypedDict):
    # Id of an owned site.
    at: str
    # Size limit; null: sets are deleted after 7 days without use.
    limitGiB: Optional[float]
    # Listed data sets.
    sets: List[DataCacheSetsItem]
    # Data sets that are not listed.
    otherSets: float
    otherBytes: float


class DataCacheSetsItem(TypedDict):
    uri: str
    bytes: float
    usedAtMs: float

_StoredCopyRequired = TypedDict(
    "_StoredCopyRequired",
    {
        "uri": str,
        "at": str,
        "team": Optional[str],
        "bytes": Optional[float],
        "microUsdPerMonth": Optional[str],
        "usedAtMs": float,
        "deletedAtMs": Optional[float],
        "asOfMs": Optional[float],
        "from": Optional[str],
        "copying": bool,
        "error": Optional[str],
    },
)

_StoredCopyOptional = TypedDict(
    "_StoredCopyOptional",
    {
    },
    total=False,
)


class StoredCopy(_StoredCopyRequired, _StoredCopyOptional):
    pass


class DataSets(TypedDict):
    items: List[DataSetsItemsItem]
    stores: List[DataSetsStoresItem]
    stored: List[StoredCopy]
    # Listed data sets in the caches of owned sites, at most about a minute old.
    cached: List[DataSetsCachedItem]
    caches: List[DataCache]
    sharing: List[SharedDataSet]
    inbound: List[DataSetsInboundItem]


class _DataSetsItemsItemRequired(TypedDict):
    uri: str
    copies: List[DataSetsItemsItemCopiesItem]


class DataSetsItemsItem(_DataSetsItemsItemRequired, total=False):
    freshDays: float


class _DataSetsItemsItemCopiesItemRequired(TypedDict):
    at: str
    uri: str


class DataSetsItemsItemCopiesItem(_DataSetsItemsItemCopiesItemRequired, total=False):
    readUri: str


class _DataSetsStoresItemRequired(TypedDict):
    at: str
    uri: str


class DataSetsStoresItem(_DataSetsStoresItemRequired, total=False):
    writeUri: str
    usdPerGiBMonth: float
    share: bool


class DataSetsCachedItem(TypedDict):
    # Id of an owned site.
    at: str
    uris: List[str]

_DataSetsInboundItemRequired = TypedDict(
    "_DataSetsInboundItemRequired",
    {
        "from": str,
        "place": str,
        "mibPerS": float,
        "lowMiBPerS": float,
        "highMiBPerS": float,
        "transfers": float,
        "newestAtMs": Optional[float],
    },
)

_DataSetsInboundItemOptional = TypedDict(
    "_DataSetsInboundItemOptional",
    {
    },
    total=False,
)


class DataSetsInboundItem(_DataSetsInboundItemRequired, _DataSetsInboundItemOptional):
    pass


class StorePrice(TypedDict):
    # Per GiB and calendar month; null: no price is set.
    microUsdPerGiBMonth: Optional[str]
    # Per GiB that leaves the store; null: no price is set.
    microUsdPerGiBEgress: Optional[str]
    # Since when it holds; null: no price was ever set.
    effectiveFrom: Optional[str]


class Store(TypedDict):
    id: str
    team: str
    name: str
    kind: StoreKind
    address: str
    # Region or owned site; null when it was not entered.
    place: Optional[str]
    # New results and checkpoints of the team go here.
    isDefault: bool
    # Machines exchange bytes with the store; otherwise through the control plane.
    direct: bool
    price: StorePrice
    createdAt: str
    checkedAt: Optional[str]
    # What failed in the latest check.
    problem: Optional[str]

StoreKind = Literal["s3", "gcs", "azblob", "webdav", "folder"]


class ChangedSince(TypedDict):
    deltaMicroUsd: str
    charges: float


class StatementMonth(TypedDict):
    month: str
    fromMs: float
    toMs: float
    state: StatementMonthState
    ledgerMicroUsd: str
    closed: Optional[StatementMonthClosed]

StatementMonthState = Literal["open", "to_close", "closed", "changed", "signed"]


class StatementMonthClosed(TypedDict):
    version: float
    totalMicroUsd: str
    ownedMicroUsd: str
    cloudMicroUsd: str
    closedAt: str
    signedBy: List[str]
    changedSince: Optional[ChangedSince]


class SentTo(TypedDict):
    sent: float
    pending: float
    failed: float
    lastAt: Optional[str]


class StatementCheck(TypedDict):
    key: StatementCheckKey
    ok: Optional[bool]
    offMicroUsd: str

StatementCheckKey = Literal["lines_add_up", "projects_add_up", "teams_add_up", "bills_explained"]


class StatementDifference(TypedDict):
    section: StatementDifferenceSection
    key: str
    beforeMicroUsd: Optional[str]
    afterMicroUsd: Optional[str]
    deltaMicroUsd: str

StatementDifferenceSection = Literal[
    "project",
    "team",
    "budget",
    "line",
    "waste",
    "saving",
    "bill",
    "total",
]


class Signature(TypedDict):
    accountId: str
    name: str
    role: Literal["platform", "data_scientist", "finance"]
    signedAt: str
    closedItToo: bool


class StatementVersion(TypedDict):
    version: float
    sha256: str
    closedAt: str
    closedBy: str
    correction: Optional[str]
    totalMicroUsd: str
    signatures: List[Signature]
    differences: List[StatementDifference]


class StatementBill(TypedDict):
    provider: str
    resources: float
    unknown: float
    estimatedMicroUsd: str
    billedMicroUsd: str
    adjustedMicroUsd: str
    unexplainedMicroUsd: str
    note: Optional[str]


class StatementBudget(TypedDict):
    id: str
    scope: str
    period: Literal["month", "quarter", "year"]
    periodKey: str
    capMicroUsd: str
    postedMicroUsd: str
    varianceMicroUsd: str
    note: Optional[str]


class StatementCarbon(TypedDict):
    operationalMilligrams: str
    marketMilligrams: str
    embodiedMilligrams: str
    energyMilliWh: str
    measuredEnergyMilliWh: str
    hourlyGridMilliWh: str
    unknownGpuMs: str
    marketUnknownGpuMs: str
    embodiedUnknownGpuMs: str


class StatementItem(TypedDict):
    project: str
    line: StatementItemLine
    provider: PlacementProvider
    capacityType: PlacementCapacityType
    accelerator: str
    sums: StatementSums

StatementItemLine = Literal[
    "owned",
    "idle",
    "spot",
    "on_demand",
    "reserved",
    "kept_warm",
    "egress",
    "storage",
    "commitment",
    "credit",
    "tax",
    "adjustment",
]


class StatementSums(TypedDict):
    effectiveMicroUsd: str
    billedMicroUsd: str
    listMicroUsd: str
    gpuMs: str
    energyMilliWh: str
    emissionsMilligrams: str


class _StatementContentRequired(TypedDict):
    month: str
    team: str
    version: float
    replaces: Optional[str]
    fromMs: float
    toMs: float
    zone: str
    postedUntilMs: float
    charges: float
    totals: StatementSums
    previousTotals: Optional[StatementSums]
    sides: List[StatementContentSidesItem]
    lines: List[StatementContentLinesItem]
    byTeam: List[StatementContentByTeamItem]
    byProject: List[StatementContentByTeamItem]
    items: List[StatementItem]
    topJobs: List[StatementContentTopJobsItem]
    savings: List[StatementContentSavingsItem]
    waste: List[StatementContentWasteItem]
    carbon: StatementCarbon
    budgets: List[StatementBudget]
    bills: List[StatementBill]


class StatementContent(_StatementContentRequired, total=False):
    postedUntilNumber: float
    ledgerFromMs: float
    variance: StatementContentVariance
    inCurrency: StatementContentInCurrency


class StatementContentVariance(TypedDict):
    sentence: Optional[str]
    beforeMicroUsd: str
    afterMicroUsd: str
    causes: List[StatementContentVarianceCausesItem]


class StatementContentVarianceCausesItem(TypedDict):
    cause: VariancePartsItemCause
    microUsd: str


class StatementContentInCurrency(TypedDict):
    currency: str
    rates: List[StatementContentInCurrencyRatesItem]
    totalMicro: str
    sides: List[StatementContentInCurrencySidesItem]
    lines: List[StatementContentInCurrencyLinesItem]
    byTeam: List[StatementContentInCurrencyByTeamItem]
    byProject: List[StatementContentInCurrencyByTeamItem]


class StatementContentInCurrencyRatesItem(TypedDict):
    date: str
    units: str
    usd: str
    source: str


class StatementContentInCurrencySidesItem(TypedDict):
    key: Literal["owned", "cloud"]
    micro: str


class StatementContentInCurrencyLinesItem(TypedDict):
    key: StatementItemLine
    micro: str


class StatementContentInCurrencyByTeamItem(TypedDict):
    key: str
    micro: str


class StatementContentSidesItem(TypedDict):
    key: Literal["owned", "cloud"]
    sums: StatementSums
    previous: Optional[StatementSums]


class StatementContentLinesItem(TypedDict):
    key: StatementItemLine
    sums: StatementSums
    previous: Optional[StatementSums]


class StatementContentByTeamItem(TypedDict):
    key: str
    sums: StatementSums


class StatementContentTopJobsItem(TypedDict):
    jobId: str
    name: str
    team: str
    state: str
    sums: StatementSums


class StatementContentSavingsItem(TypedDict):
    key: Literal["spot_against_on_demand", "home_against_cloud", "burst_against_waiting"]
    microUsd: Optional[str]
    hours: Optional[str]
    reckoned: str


class StatementContentWasteItem(TypedDict):
    key: StatementContentWasteItemKey
    microUsd: str
    gpuMs: str

StatementContentWasteItemKey = Literal["failed", "interrupted", "cancelled", "idle"]


class Statement(TypedDict):
    content: StatementContent
    currencyProblem: Optional[str]
    state: StatementMonthState
    over: bool
    shown: Optional[StatementVersion]
    intact: Optional[bool]
    changedSince: Optional[ChangedSince]
    versions: List[StatementVersion]
    checks: List[StatementCheck]
    others: List[StatementOthersItem]
    sent: SentTo
    may: StatementMay


class StatementOthersItem(TypedDict):
    team: str
    state: StatementMonthState
    totalMicroUsd: str


class StatementMay(TypedDict):
    close: bool
    sign: bool
    note: bool
    readBills: bool


class ClosedMonth(TypedDict):
    month: str
    written: List[ClosedMonthWrittenItem]
    unchanged: List[str]


class ClosedMonthWrittenItem(TypedDict):
    id: str
    team: str
    version: float
    sha256: str


class BillDetail(TypedDict):
    id: str
    fileName: str
    sha256: str
    focusVersion: str
    providers: List[str]
    months: List[str]
    rows: float
    repeatedRows: float
    billedMicroUsd: str
    importedAt: str
    importedBy: str
    reconciledAt: Optional[str]
    columns: List[str]


class Bill(TypedDict):
    id: str
    fileName: str
    sha256: str
    focusVersion: str
    providers: List[str]
    months: List[str]
    rows: float
    repeatedRows: float
    billedMicroUsd: str
    importedAt: str
    importedBy: str
    reconciledAt: Optional[str]


class ReconciledResource(TypedDict):
    provider: str
    resourceId: str
    instanceId: Optional[str]
    billId: Optional[str]
    state: ReconciledResourceState
    estimatedMicroUsd: str
    billedMicroUsd: str
    adjustedMicroUsd: str
    facts: Dict[str, Optional[Union[str, float]]]

ReconciledResourceState = Literal[
    "matched",
    "not_billed",
    "billed_unknown",
    "price_variance",
    "time_variance",
]


class ReconciledProvider(TypedDict):
    provider: str
    estimatedMicroUsd: str
    billedMicroUsd: str
    adjustedMicroUsd: str
    unexplainedMicroUsd: str
    resources: ReconciledProviderResources


class ReconciledProviderResources(TypedDict):
    billed_unknown: float
    matched: float
    not_billed: float
    price_variance: float
    time_variance: float


class Reconciliation(TypedDict):
    month: str
    reconciledAt: Optional[str]
    providers: List[ReconciledProvider]
    items: List[ReconciledResource]
    truncated: bool


class PostedByBills(TypedDict):
    provider: str
    what: Literal["corrections", "invoice_items"]
    charges: float
    effectiveMicroUsd: str
    billedMicroUsd: str


class ReconciliationRun(TypedDict):
    at: str
    since: Optional[str]
    by: str
    byName: Optional[str]
    final: bool
    posted: List[PostedByBills]


class ReconciliationHistory(TypedDict):
    month: str
    runs: List[ReconciliationRun]
    truncated: bool


class ResourceLines(TypedDict):
    items: List[ResourceLine]
    effectiveMicroUsd: str
    truncated: bool


class ChainHead(TypedDict):
    sequence: float
    hash: str
    sealedAt: str


class ChainState(TypedDict):
    head: Optional[ChainHead]
    lastCheck: Optional[ChainStateLastCheck]


class ChainStateLastCheck(TypedDict):
    checkedAtMs: float
    verified: ChainStateLastCheckVerified
    fullAtMs: float
    broken: Optional[ChainStateLastCheckBroken]
    sentence: Optional[str]


class ChainStateLastCheckVerified(TypedDict):
    sequence: float
    hash: str


class ChainStateLastCheckBroken(TypedDict):
    kind: ChainStateLastCheckBrokenKind
    sequence: Optional[float]
    auditId: Optional[float]

ChainStateLastCheckBrokenKind = Literal[
    "changed_line",
    "changed_seal",
    "missing_line",
    "missing_seal",
    "unsealed_line",
    "sealed_twice",
    "cut_tail",
]


class ChainPosition(TypedDict):
    sequence: float
    hash: str


class ChainBreak(TypedDict):
    kind: ChainStateLastCheckBrokenKind
    sequence: Optional[float]
    auditId: Optional[float]


class Secret(TypedDict):
    team: str
    name: str
    source: Union[CredentialSourceStored, CredentialSourceFile, SecretSourceVault]
    version: float
    createdAt: str
    changedAt: str
    changedBy: str
    lastUsedAt: Optional[str]


class SecretSourceVault(TypedDict):
    kind: Literal["vault"]
    path: str
    key: str


class Token(TypedDict):
    id: str
    name: str
    owner: TokenOwner
    scopes: Optional[List[str]]
    # Its jobs need approval above this estimated cost; null: no limit.
    approvalAboveUsd: Optional[float]
    createdAt: str
    expiresAt: Optional[str]
    lastUsedAt: Optional[str]


class TokenOwner(TypedDict):
    id: str
    name: str
    service: bool


class Account(TypedDict):
    id: str
    email: str
    name: str
    # The built-in role; for a custom role, the one that it restricts.
    role: Literal["platform", "data_scientist", "finance"]
    customRole: Optional[str]
    teams: List[str]
    kind: Literal["person", "service", "demo"]
    hasPassword: bool
    disabledAt: Optional[str]
    invitedUntil: Optional[str]
    identities: List[AccountIdentitiesItem]


class AccountIdentitiesItem(TypedDict):
    id: str
    issuer: str
    subject: str
    email: str
    linkedAt: Optional[str]
    lastSignInAt: Optional[str]


class Role(TypedDict):
    name: str
    # The built-in role that it restricts; null: it is built in.
    base: Optional[Literal["platform", "data_scientist", "finance"]]
    permissions: List[str]
    # Accounts with this role, disabled ones included.
    accounts: float


class Notifications(TypedDict):
    # The account's address; mail goes nowhere else.
    email: str
    events: List[NotificationsEventsItem]
    # Minutes in which events are collected for one mail.
    digestMinutes: float
    # The newest mail, or null.
    lastMail: Optional[NotificationsLastMail]

NotificationsEventsItem = Literal[
    "finished",
    "failed",
    "needs_approval",
    "over_forecast",
    "reclaimed",
]


class NotificationsLastMail(TypedDict):
    title: str
    state: Literal["pending", "sent", "failed"]
    at: str
    error: Optional[str]


class Team(TypedDict):
    name: str
    title: Optional[str]
    costCenter: Optional[str]
    parent: Optional[str]
    members: float


class GroupMapping(TypedDict):
    group: str
    role: Optional[Literal["platform", "data_scientist", "finance"]]
    customRole: Optional[str]
    team: Optional[str]
    source: Literal["settings", "process"]


class CompanyChange(TypedDict):
    kind: CompanyChangeKind
    # Name, address or id.
    id: str
    action: Literal["create", "update", "remove"]
    # Values as JSON; null: absent. Secrets are shown as changed only.
    fields: List[CompanyChangeFieldsItem]

CompanyChangeKind = Literal[
    "company",
    "team",
    "role",
    "group",
    "person",
    "site",
    "store",
    "data",
    "rate_card",
    "policy",
    "template",
    "trigger",
    "channel",
]


class CompanyChangeFieldsItem(TypedDict):
    field: str
    before: Optional[str]
    after: Optional[str]

JobCreateOutput = Union["SubmittedJob", "SubmittedJobs"]


class JobListOutput(TypedDict):
    items: List[Job]
    nextCursor: Optional[str]


class JobCancelOutput(TypedDict):
    state: JobState


class JobActOutput(TypedDict):
    items: List[JobActionResult]


class JobResumeOutput(TypedDict):
    afterAttempt: int


class JobReadLogsLine2(TypedDict):
    end: Literal[True]


class JobReadLogsLine3(TypedDict):
    attempt: float
    number: float
    at: str
    stream: str
    text: str

JobReadLogsLine = Union["JobReadLogsLine2", "JobReadLogsLine3"]


class JobDecisionsOutput(TypedDict):
    items: List[Decision]
    nextCursor: None


class JobMetricsOutput(TypedDict):
    items: List[MetricSeries]
    nextCursor: None


class JobMlflowOutput(TypedDict):
    items: List[ForwardedRun]
    nextCursor: None


class ViewListOutput(TypedDict):
    items: List[SavedView]
    nextCursor: None


class ViewDeleteOutput(TypedDict):
    id: str


class PipelineCreateOutput(TypedDict):
    id: str
    state: Literal["running"]
    kind: Literal["Pipeline", "Sweep"]
    name: str
    runs: int


class PipelineListOutput(TypedDict):
    items: List[Pipeline]
    nextCursor: Optional[str]


class PipelineRunsOutput(TypedDict):
    items: List[PipelineRun]
    # Send it as after to get the next page; null on the last.
    next: Optional[int]


class PipelineCancelOutput(TypedDict):
    id: str
    state: PipelineState


class PipelineRetryOutput(TypedDict):
    id: str
    state: PipelineState
    runs: int


class TriggerCreateOutput(TypedDict):
    id: str
    name: str
    nextAt: Optional[str]
    secret: Optional[str]


class TriggerListOutput(TypedDict):
    items: List[Trigger]
    nextCursor: None


class TriggerEnableOutput(TypedDict):
    id: str
    enabled: bool


class TriggerRemoveOutput(TypedDict):
    id: str


class TemplateListOutput(TypedDict):
    items: List[Template]
    nextCursor: None


class TemplateSaveOutput(TypedDict):
    id: str
    name: str
    team: str
    version: int


class TemplateRemoveOutput(TypedDict):
    id: str


class ArtifactListOutput(TypedDict):
    items: List[Artifact]
    nextCursor: None


class ArtifactDeliverOutput(TypedDict):
    retried: int


class ArtifactCreateLinkOutput(TypedDict):
    url: str
    expiresAt: str


class ArtifactDeleteOutput(TypedDict):
    id: str
    deleted: Literal[True]


class SiteListOutput(TypedDict):
    items: List[Site]
    nextCursor: None


class SiteKindsOutput(TypedDict):
    items: List[SiteKind]
    nextCursor: None


class SiteRemoveOutput(TypedDict):
    id: str
    removed: Literal[True]


class SiteQueueOutput(TypedDict):
    items: List[QueuedForeignJob]
    total: float
    readAt: Optional[str]
    nextCursor: None


class InstanceListOutput(TypedDict):
    items: List[Instance]
    nextCursor: Optional[str]


class OfferListOutput(TypedDict):
    items: List[Offer]
    total: float
    accelerators: List[str]
    seenAt: Optional[str]
    nextCursor: None


class OfferSnapshotsOutput(TypedDict):
    items: List[PriceSnapshot]
    nextCursor: None

_OfferImportPricesOutputRequired = TypedDict(
    "_OfferImportPricesOutputRequired",
    {
        "providers": List[str],
        "from": str,
        "to": str,
        "added": float,
        "replaced": float,
        "unchanged": float,
        "older": float,
        "ignored": float,
    },
)

_OfferImportPricesOutputOptional = TypedDict(
    "_OfferImportPricesOutputOptional",
    {
    },
    total=False,
)


class OfferImportPricesOutput(_OfferImportPricesOutputRequired, _OfferImportPricesOutputOptional):
    pass


class ForecastScoreOutput(TypedDict):
    count: float
    p50Covered: float
    p90Covered: float
    horizons: List[HorizonScore]
    quotes: ForecastScores


class OverviewMoneyAtRiskOutput(TypedDict):
    totalMicroUsd: str
    items: List[RiskItem]


class SearchFindOutput(TypedDict):
    items: List[SearchFindOutputItemsItem]
    nextCursor: None


class SearchFindOutputItemsItem(TypedDict):
    kind: SearchFindOutputItemsItemKind
    id: str
    name: str
    detail: str
    href: str
    live: bool
    actions: List[Literal["approve", "cancel"]]

SearchFindOutputItemsItemKind = Literal[
    "job",
    "approval",
    "pipeline",
    "trigger",
    "team",
    "person",
    "policy",
    "rule",
    "budget",
    "site",
    "machine",
    "month",
    "doc",
]


class PolicyNamesOutput(TypedDict):
    items: List[PolicyName]
    nextCursor: None


class PolicyVersionsOutput(TypedDict):
    items: List[Version]
    nextBefore: Optional[float]

_PolicyDiffOutputRequired = TypedDict(
    "_PolicyDiffOutputRequired",
    {
        "changes": Optional[List["PolicyChange"]],
        "lines": List["LineRun"],
        "from": float,
        "to": Optional[float],
    },
)

_PolicyDiffOutputOptional = TypedDict(
    "_PolicyDiffOutputOptional",
    {
    },
    total=False,
)


class PolicyDiffOutput(_PolicyDiffOutputRequired, _PolicyDiffOutputOptional):
    pass


class PolicyMergeOutput(TypedDict):
    text: str
    conflicts: List[MergeConflict]
    baseVersion: float


class PolicyUnmanageOutput(TypedDict):
    wasManagedBy: Optional[PolicyManagedBy]


class PolicyChangeSettingsOutput(TypedDict):
    secondPerson: bool
    proposalId: Optional[str]


class DraftSaveOutput(TypedDict):
    updatedAt: str

DraftDiscardOutput = Dict[str, Any]


class BacktestListOutput(TypedDict):
    items: List[BacktestSummary]
    nextCursor: None


class PlanListOutput(TypedDict):
    items: List[PlanStudySummary]
    nextCursor: None

SpendByOutput = Union["Spend", "JobSpend"]

SpendVarianceOutput = Optional["Variance"]


class LedgerGetOutput(TypedDict):
    zone: str
    lastCheck: Optional[LedgerCheck]


class LedgerSetZoneOutput(TypedDict):
    zone: str

CarbonVarianceOutput = Optional["CarbonVariance"]


class BudgetListOutput(TypedDict):
    items: List[BudgetStatus]
    nextCursor: None


class ApprovalProposalsOutput(TypedDict):
    items: List[Proposal]
    nextCursor: None


class ApprovalApproveProposalOutput(TypedDict):
    policyVersion: Optional[float]


class ApprovalRejectProposalOutput(TypedDict):
    decision: Literal["rejected", "withdrawn"]


class ApprovalListOutput(TypedDict):
    items: List[Approval]
    nextCursor: Optional[str]


class ApprovalAskAgainOutput(TypedDict):
    id: str


class AlertListOutput(TypedDict):
    items: List[Alert]
    nextCursor: Optional[str]


class ChannelListOutput(TypedDict):
    items: List[Channel]
    nextCursor: None


class ChannelCreateOutput(TypedDict):
    id: str
    signingKey: Optional[str]


class ChannelUpdateOutput(TypedDict):
    id: str


class ChannelRemoveOutput(TypedDict):
    id: str


class ChannelTestOutput(TypedDict):
    deliveryId: str


class ChannelDeliveriesOutput(TypedDict):
    items: List[Delivery]
    nextCursor: Optional[str]


class RatesListOutput(TypedDict):
    items: List[PoolRates]
    nextCursor: None


class RatesElectricityPricesOutput(TypedDict):
    items: List[ElectricityHour]
    nextCursor: None


class RatesCommitmentsOutput(TypedDict):
    items: List[Commitment]
    nextCursor: None


class RatesSetCommitmentsOutput(TypedDict):
    items: List[Commitment]
    nextCursor: None


class RatesDiscountsOutput(TypedDict):
    items: List[Discount]
    nextCursor: None


class RatesSetDiscountsOutput(TypedDict):
    items: List[Discount]
    nextCursor: None


class CurrencyGetOutput(TypedDict):
    currency: str
    currencies: List[CurrencyGetOutputCurrenciesItem]

_CurrencyGetOutputCurrenciesItemRequired = TypedDict(
    "_CurrencyGetOutputCurrenciesItemRequired",
    {
        "currency": str,
        "rates": float,
        "from": str,
        "to": str,
    },
)

_CurrencyGetOutputCurrenciesItemOptional = TypedDict(
    "_CurrencyGetOutputCurrenciesItemOptional",
    {
    },
    total=False,
)


class CurrencyGetOutputCurrenciesItem(_CurrencyGetOutputCurrenciesItemRequired, _CurrencyGetOutputCurrenciesItemOptional):
    pass


class CurrencySetOutput(TypedDict):
    currency: str


class CurrencyRatesOutput(TypedDict):
    items: List[ExchangeRate]
    nextCursor: None

_CurrencyImportRatesOutputRequired = TypedDict(
    "_CurrencyImportRatesOutputRequired",
    {
        "currencies": List[str],
        "from": str,
        "to": str,
        "added": float,
        "replaced": float,
        "unchanged": float,
    },
)

_CurrencyImportRatesOutputOptional = TypedDict(
    "_CurrencyImportRatesOutputOptional",
    {
    },
    total=False,
)


class CurrencyImportRatesOutput(_CurrencyImportRatesOutputRequired, _CurrencyImportRatesOutputOptional):
    pass


class StoreListOutput(TypedDict):
    stores: List[Store]
    embeddedPrice: StorePrice
    teams: List[StoreListOutputTeamsItem]


class StoreListOutputTeamsItem(TypedDict):
    team: str
    bytes: int
    results: int
    quotaGiB: Optional[float]
    keepDays: Optional[float]


class StoreCheckOutput(TypedDict):
    steps: List[StoreCheckOutputStepsItem]
    problem: Optional[str]


class StoreCheckOutputStepsItem(TypedDict):
    title: str
    problem: Optional[str]


class StoreRemoveOutput(TypedDict):
    id: str


class StoreLimitsOutput(TypedDict):
    team: str
    quotaGiB: Optional[float]
    keepDays: Optional[int]


class StatementListOutput(TypedDict):
    team: Optional[str]
    teams: List[str]
    items: List[StatementMonth]
    closing: StatementListOutputClosing
    nextCursor: None


class StatementListOutputClosing(TypedDict):
    day: float
    mayChange: bool


class StatementSignOutput(TypedDict):
    version: float
    sha256: str
    signedAt: str


class BillImportOutput(TypedDict):
    bill: BillDetail
    alreadyImported: bool


class BillListOutput(TypedDict):
    items: List[Bill]
    nextCursor: None


class AuditListOutput(TypedDict):
    items: List[AuditLine]
    nextCursor: Optional[str]


class AuditVerifyLine2(TypedDict):
    seals: float


class AuditVerifyLine3(TypedDict):
    result: AuditVerifyLine3Result


class AuditVerifyLine3Result(TypedDict):
    broken: Optional[ChainBreak]
    verified: ChainPosition
    seals: float
    headFound: Optional[bool]
    sentence: Optional[str]

AuditVerifyLine = Union["AuditVerifyLine2", "AuditVerifyLine3"]


class SecretListOutput(TypedDict):
    items: List[Secret]
    nextCursor: None


class SecretSetOutput(TypedDict):
    team: str
    name: str
    version: float


class SecretDeleteOutput(TypedDict):
    team: str
    name: str


class TokenListOutput(TypedDict):
    items: List[Token]
    nextCursor: None


class TokenCreateOutput(TypedDict):
    id: str
    token: str
    expiresAt: str


class TokenRevokeOutput(TypedDict):
    id: str


class AccountUpdateOutput(TypedDict):
    id: str


class AccountListOutput(TypedDict):
    items: List[Account]
    nextCursor: None


class AccountCreateOutput(TypedDict):
    id: str


class AccountInviteOutput(TypedDict):
    id: str


class AccountDisableOutput(TypedDict):
    id: str


class AccountEnableOutput(TypedDict):
    id: str


class AccountLinkIdentityOutput(TypedDict):
    id: str


class AccountRejectIdentityOutput(TypedDict):
    id: str


class RoleListOutput(TypedDict):
    items: List[Role]
    nextCursor: None


class RoleCreateOutput(TypedDict):
    name: str


class RoleUpdateOutput(TypedDict):
    name: str


class RoleDeleteOutput(TypedDict):
    name: str


class TeamListOutput(TypedDict):
    items: List[Team]
    nextCursor: None


class TeamCreateOutput(TypedDict):
    name: str


class TeamUpdateOutput(TypedDict):
    name: str


class TeamDeleteOutput(TypedDict):
    name: str


class GroupMappingListOutput(TypedDict):
    mappings: List[GroupMapping]
    teamPrefix: str
    seen: List[GroupMappingListOutputSeenItem]


class GroupMappingListOutputSeenItem(TypedDict):
    group: str
    people: float
    isMapped: bool


class GroupMappingRemoveOutput(TypedDict):
    group: str


class GroupMappingCheckOutput(TypedDict):
    role: Optional[Literal["platform", "data_scientist", "finance"]]
    customRole: Optional[str]
    teams: List[str]
    missingTeams: List[str]
    unmapped: List[str]


class SetupGetOutput(TypedDict):
    isStarted: bool
    steps: SetupGetOutputSteps
    zone: str
    teams: List[str]
    clusters: List[str]
    clouds: List[str]
    stores: List[str]


class SetupGetOutputSteps(TypedDict):
    company: Literal["open", "done", "skipped"]
    team: Literal["open", "done", "skipped"]
    cluster: Literal["open", "done", "skipped"]
    cloud: Literal["open", "done", "skipped"]
    store: Literal["open", "done", "skipped"]
    policy: Literal["open", "done", "skipped"]
    test: Literal["open", "done", "skipped"]


class SetupCompanyOutput(TypedDict):
    zone: str


class SetupSkipOutput(TypedDict):
    step: SetupSkipOutputStep

SetupSkipOutputStep = Literal["company", "team", "cluster", "cloud", "store", "policy", "test"]


class SetupPolicyOutput(TypedDict):
    source: str
    check: PolicyCheck


class CompanyPlanOutput(TypedDict):
    changes: List[CompanyChange]
    skipped: List[str]
    hash: str


class CompanyApplyOutput(TypedDict):
    applied: List[CompanyChange]
    skipped: List[str]


class ReceiptLine(TypedDict):
    kind: ChargeDimensionsKind
    causeId: str
    fromMs: float
    toMs: float
    status: Literal["posted", "metered"]
    gpuMs: str
    costMicroUsd: str
    listMicroUsd: str
    energyMilliWh: str
    emissionsMilligrams: Optional[str]


class ChargeLine(TypedDict):
    id: str
    periodStartMs: float
    periodEndMs: float
    dimensions: ChargeDimensions
    jobId: Optional[str]
    attemptId: Optional[str]
    instanceId: Optional[str]
    allocationId: Optional[str]
    poolId: Optional[str]
    billLineId: Optional[str]
    artifactId: Optional[str]
    correction: Optional[ChargeLineCorrection]
    gpuMs: str
    listMicroUsd: str
    contractedMicroUsd: str
    effectiveMicroUsd: str
    billedMicroUsd: str
    energyMilliWh: str
    measuredEnergyMilliWh: str
    hourlyGridMilliWh: str
    emissionsMilligrams: Optional[str]
    marketEmissionsMilligrams: Optional[str]
    embodiedMilligrams: Optional[str]
    jobName: Optional[str]
    cause: ChargeLineCause

ChargeLineCorrection = Literal[
    "end_learnt_late",
    "use_learnt_late",
    "price_learnt_late",
    "bill_price",
    "bill_time",
    "bill_unknown",
    "rate_card",
    "refund",
]


class ChargeLineCause(TypedDict):
    kind: ChargeLineCauseKind
    id: str

ChargeLineCauseKind = Literal["instance", "allocation", "pool", "bill_line", "artifact"]


class ResourceLine(TypedDict):
    id: str
    billId: str
    fileName: str
    rowNumber: float
    chargeCategory: str
    chargeClass: Optional[str]
    description: Optional[str]
    periodStartMs: float
    periodEndMs: float
    effectiveMicroUsd: str
    listMicroUsd: str
    billedMicroUsd: str
    restated: bool


class AuditLine(TypedDict):
    id: float
    at: str
    actor: str
    actorName: Optional[str]
    action: str
    subject: str
    before: Any
    after: Any
    requestId: Optional[str]
    via: Optional[Literal["session", "token"]]
    source: Optional[str]
    seal: Optional[ChainPosition]


class JobDocument(TypedDict):
    # Always spillway/v1.
    apiVersion: Literal["spillway/v1"]
    # Always Job.
    kind: Literal["Job"]
    # Name, team, project and labels.
    metadata: JobDocumentMetadata
    # What to run and what it needs.
    spec: JobDocumentSpec


class _JobDocumentMetadataRequired(TypedDict):
    # 1 to 63 letters, digits, dots, underscores or dashes.
    name: str
    # The team that pays.
    team: str


class JobDocumentMetadata(_JobDocumentMetadataRequired, total=False):
    # Groups cost in reports.
    project: str
    # Available to policies and filters.
    labels: Dict[str, Union[str, Literal[""]]]

_JobDocumentSpecRequired = TypedDict(
    "_JobDocumentSpecRequired",
    {
        "command": List[str],
    },
)

_JobDocumentSpecOptional = TypedDict(
    "_JobDocumentSpecOptional",
    {
        "class": "JobClass",
        "image": str,
        "env": Dict[str, Union[str, float, bool]],
        "secrets": List["JobDocumentSpecSecretsItem"],
        "nodes": int,
        "interconnect": Literal["any", "high"],
        "resources": "JobDocumentSpecResources",
        "throughput": Dict[str, float],
        "scaling": "JobDocumentSpecScaling",
        "duration": "JobDocumentSpecDuration",
        "deadline": str,
        "priority": int,
        "critical": bool,
        "approvalAboveUsd": float,
        "notify": List["NotificationsEventsItem"],
        "checkpoint": "JobDocumentSpecCheckpoint",
        "data": List["JobDocumentSpecDataItem"],
        "mounts": List[str],
        "outputs": List["JobDocumentSpecOutputsItem"],
        "metrics": List[str],
    },
    total=False,
)


class JobDocumentSpec(_JobDocumentSpecRequired, _JobDocumentSpecOptional):
    pass


class _JobDocumentSpecSecretsItemRequired(TypedDict):
    # Name of a secret of the job's team.
    name: str


class JobDocumentSpecSecretsItem(_JobDocumentSpecSecretsItemRequired, total=False):
    # Environment variable that receives the value.
    env: str
    # File name in SPILLWAY_SECRETS_DIR that contains the value. Exactly one of env and file
    # is required.
    file: str


class JobDocumentSpecResources(TypedDict, total=False):
    # Whole GPUs on each node.
    gpus: int
    # Accepted accelerator models, separated by commas. Any when empty.
    accelerators: List[str]
    # CPU cores on each node.
    cpus: int
    # Memory on each node.
    memoryGiB: float
    # Minimum memory of each GPU. Smaller GPUs are excluded.
    gpuMemoryGiB: float
    # true excludes accelerators without bfloat16.
    bf16: bool


class JobDocumentSpecScaling(TypedDict, total=False):
    # Amdahl's law: the share of the run time on the requested GPUs that k times the GPUs
    # divide by k. Needs upTo.
    parallel: float
    # Speed by number of GPUs. Exactly one of parallel and curve is required.
    curve: List[JobDocumentSpecScalingCurveItem]
    # The most GPUs that the job may use, all nodes together.
    upTo: int


class JobDocumentSpecScalingCurveItem(TypedDict):
    # All nodes together.
    gpus: int
    # Measured work per hour, in the same unit for all points.
    speed: float


class JobDocumentSpecDuration(TypedDict, total=False):
    # Expected run time. Improves forecasts.
    estimate: str
    # The job is stopped after this time.
    max: str


class _JobDocumentSpecCheckpointRequired(TypedDict):
    # Where the job writes its checkpoints. SPILLWAY_CHECKPOINT_DIR contains this path.
    path: str


class JobDocumentSpecCheckpoint(_JobDocumentSpecCheckpointRequired, total=False):
    # How often checkpoints are saved. At least 1s.
    interval: str
    # Complete checkpoints that are kept.
    keep: int
    # first saves on rank 0. all saves the shards of every rank, in folders named by step.
    ranks: Literal["first", "all"]
    # all restores every rank's shards on each machine, own only its own.
    restore: Literal["all", "own"]


class _JobDocumentSpecDataItemRequired(TypedDict):
    # Where the data is stored.
    uri: str
    # Where the job reads the data. Must be unique.
    mount: str


class JobDocumentSpecDataItem(_JobDocumentSpecDataItemRequired, total=False):
    # Size of the data. Policies treat an unknown size as unlimited.
    sizeGiB: float
    # Regions that the data must not leave, such as eu. Available to policies.
    residency: List[str]


class _JobDocumentSpecOutputsItemRequired(TypedDict):
    # Must be unique within the job.
    name: str
    # File or folder that the job writes. SPILLWAY_OUTPUT_<NAME> contains its absolute path.
    path: str


class JobDocumentSpecOutputsItem(_JobDocumentSpecOutputsItemRequired, total=False):
    # A label: model, dataset, report or file.
    kind: OutputSpecKind
    # success uploads when the command exits with 0. always also after failures and
    # interruptions.
    when: Literal["success", "always"]
    # Folder or bucket that gets a copy, such as home:/models/fraud or s3://acme-models/fraud.
    to: str
    # How long the files are kept.
    keep: str


class _JobCreateBodyRequired(TypedDict):
    items: List[JobDocument]


class JobCreateBody(_JobCreateBodyRequired, total=False):
    script: JobCreateBodyScript


class _JobCreateBodyScriptRequired(TypedDict):
    text: str


class JobCreateBodyScript(_JobCreateBodyScriptRequired, total=False):
    kind: Literal["sbatch", "kubernetes", "auto"]
    team: str
    zoneOffsetMinutes: int


class JobActBody(TypedDict):
    action: JobActBodyAction
    ids: List[str]

JobActBodyAction = Literal["cancel", "hold", "release", "resume", "retry", "stay"]


class JobActBodyMove(TypedDict):
    action: Literal["move"]
    ids: List[str]
    to: Literal["home", "cloud"]


class JobActBodySetPriority(TypedDict):
    action: Literal["set_priority"]
    ids: List[str]
    priority: int


class _JobImportBatchScriptBodyRequired(TypedDict):
    text: str


class JobImportBatchScriptBody(_JobImportBatchScriptBodyRequired, total=False):
    team: str
    zoneOffsetMinutes: int


class _ViewCreateBodyRequired(TypedDict):
    name: str
    query: str


class ViewCreateBody(_ViewCreateBodyRequired, total=False):
    team: Optional[str]


class ViewUpdateBody(TypedDict, total=False):
    name: str
    query: str
    team: Optional[str]


class PipelineCreateBody(TypedDict, total=False):
    text: str
    document: Any
    parameters: Dict[str, Union[str, float, bool]]

_PipelineRetryBodyRequired = TypedDict(
    "_PipelineRetryBodyRequired",
    {
    },
)

_PipelineRetryBodyOptional = TypedDict(
    "_PipelineRetryBodyOptional",
    {
        "from": str,
    },
    total=False,
)


class PipelineRetryBody(_PipelineRetryBodyRequired, _PipelineRetryBodyOptional):
    pass


class TriggerCreateBody(TypedDict, total=False):
    text: str
    document: Any


class TriggerEnableBody(TypedDict, total=False):
    enabled: bool


class TemplateSaveBody(TypedDict, total=False):
    name: str
    description: str
    text: str
    document: Any
    pipelineId: str
    baseVersion: int


class TemplateQuoteBody(TypedDict, total=False):
    parameters: Dict[str, Union[str, float, bool]]
    version: int


class PerformanceReportBody(TypedDict):
    # The node's name
    node: str
    text: str


class _ArtifactCreateLinkBodyRequired(TypedDict):
    path: str


class ArtifactCreateLinkBody(_ArtifactCreateLinkBodyRequired, total=False):
    minutes: int


class _SiteAddBodyRequired(TypedDict):
    id: str
    name: str
    provider: PlacementProvider
    settings: Dict[str, Any]


class SiteAddBody(_SiteAddBodyRequired, total=False):
    credentials: Union[SiteAddBodyCredentialsChain, SiteAddBodyCredentialsStored, SiteAddBodyCredentialsFile, SiteAddBodyCredentialsEnvironment]


class SiteAddBodyCredentialsChain(TypedDict):
    kind: Literal["chain"]


class SiteAddBodyCredentialsStored(TypedDict):
    kind: Literal["stored"]
    values: Dict[str, Any]


class SiteAddBodyCredentialsFile(TypedDict):
    kind: Literal["file"]
    path: str


class SiteAddBodyCredentialsEnvironment(TypedDict):
    kind: Literal["environment"]
    name: str


class SiteCheckDraftBody(TypedDict, total=False):
    id: str
    provider: PlacementProvider
    settings: Dict[str, Any]
    credentials: Union[SiteAddBodyCredentialsChain, SiteAddBodyCredentialsStored, SiteAddBodyCredentialsFile, SiteAddBodyCredentialsEnvironment]


class SiteChangeBody(TypedDict, total=False):
    name: str
    settings: Dict[str, Any]
    credentials: Union[SiteAddBodyCredentialsChain, SiteAddBodyCredentialsStored, SiteAddBodyCredentialsFile, SiteAddBodyCredentialsEnvironment]
    enabled: bool


class SiteCheckStoredBody(TypedDict, total=False):
    settings: Dict[str, Any]
    credentials: Union[SiteAddBodyCredentialsChain, SiteAddBodyCredentialsStored, SiteAddBodyCredentialsFile, SiteAddBodyCredentialsEnvironment]


class _SitePricePoolBodyRequired(TypedDict):
    usdPerGpuHour: str


class SitePricePoolBody(_SitePricePoolBodyRequired, total=False):
    wattsPerGpu: int


class OfferImportPricesBody(TypedDict):
    text: str
    message: str


class _PolicyPutBodyRequired(TypedDict):
    source: str
    message: str


class PolicyPutBody(_PolicyPutBodyRequired, total=False):
    backtestId: str
    noBacktestReason: str
    origin: Union[PolicyPutBodyOriginCli, PolicyPutBodyOriginGit]


class PolicyPutBodyOriginCli(TypedDict):
    kind: Literal["cli"]


class PolicyPutBodyOriginGit(TypedDict):
    kind: Literal["git"]
    repository: str
    commit: str
    path: str


class PolicyDiffTo(TypedDict):
    source: str


class PolicyCheckBody(TypedDict):
    source: str


class _PolicyMergeBodyRequired(TypedDict):
    baseVersion: int
    source: str


class PolicyMergeBody(_PolicyMergeBodyRequired, total=False):
    choices: Dict[str, Literal["mine", "theirs"]]


class _PolicyRollbackBodyRequired(TypedDict):
    version: int
    message: str


class PolicyRollbackBody(_PolicyRollbackBodyRequired, total=False):
    baseVersion: int


class PolicyChangeSettingsBody(TypedDict):
    secondPerson: bool


class _DraftSaveBodyRequired(TypedDict):
    source: str
    baseVersion: int


class DraftSaveBody(_DraftSaveBodyRequired, total=False):
    previousUpdatedAt: Optional[str]


class _BacktestStartBodyRequired(TypedDict):
    source: str
    days: Union[Literal[7], Literal[30], Literal[90]]


class BacktestStartBody(_BacktestStartBodyRequired, total=False):
    replace: bool


class _PlanStartBodyRecordsRequired(TypedDict):
    source: Literal["records"]
    days: Union[Literal[30], Literal[90], Literal[365]]


class PlanStartBodyRecords(_PlanStartBodyRecordsRequired, total=False):
    discountPercent: float


class _PlanStartBodyOpenRequired(TypedDict):
    source: Literal["open"]
    trace: Literal["philly-ee9e8c", "philly-0e4a51", "philly-four-weeks"]


class PlanStartBodyOpen(_PlanStartBodyOpenRequired, total=False):
    gpus: int
    discountPercent: float


class _PlanStartBodyUploadRequired(TypedDict):
    source: Literal["upload"]
    name: str


class PlanStartBodyUpload(_PlanStartBodyUploadRequired, total=False):
    trace: str
    upload: str
    gpus: int
    days: int
    discountPercent: float

SpendByGroupBy = Literal[
    "day",
    "week",
    "month",
    "team",
    "project",
    "class",
    "provider",
    "region",
    "capacityType",
    "accelerator",
    "site",
    "kind",
    "job",
]

SpendByClassItem = Literal["", "baseline", "burst", "experimental", "sensitive", "batch_inference"]

SpendChargesLost = Literal[
    "failed",
    "interrupted",
    "evicted",
    "lost",
    "cut_short",
    "cancelled",
    "any",
]


class _SpendRefundBodyRequired(TypedDict):
    reason: str


class SpendRefundBody(_SpendRefundBodyRequired, total=False):
    amountUsd: str


class LedgerSetZoneBody(TypedDict):
    zone: str

CarbonByGroupBy = Literal[
    "day",
    "week",
    "month",
    "team",
    "project",
    "class",
    "provider",
    "region",
    "capacityType",
    "accelerator",
    "site",
    "kind",
]


class _CarbonImportIntensitiesBodyRequired(TypedDict):
    text: str
    source: str


class CarbonImportIntensitiesBody(_CarbonImportIntensitiesBodyRequired, total=False):
    zone: str


class _BudgetAddBodyRequired(TypedDict):
    id: str
    capUsd: str
    message: str


class BudgetAddBody(_BudgetAddBodyRequired, total=False):
    scope: str
    period: Literal["month", "quarter", "year"]


class _BudgetChangeCapBodyRequired(TypedDict):
    capUsd: str
    message: str


class BudgetChangeCapBody(_BudgetChangeCapBodyRequired, total=False):
    policyVersion: int


class ApprovalGrantBody(TypedDict, total=False):
    note: str
    upToUsd: str


class ApprovalRefuseBody(TypedDict, total=False):
    note: str


class _ChannelCreateBodyEmailRequired(TypedDict):
    kind: Literal["email"]
    name: str
    topics: List[ChannelCreateBodyEmailTopicsItem]
    team: Optional[str]
    recipients: List[str]


class ChannelCreateBodyEmail(_ChannelCreateBodyEmailRequired, total=False):
    pipeline: Optional[str]
    digest: Literal["immediate", "hourly", "daily"]

ChannelCreateBodyEmailTopicsItem = Literal[
    "budget_threshold",
    "budget_forecast_overrun",
    "spend_anomaly",
    "money_at_risk",
    "billed_unknown",
    "ledger_mismatch",
    "audit_chain_broken",
    "approval_waiting",
    "delivery_failing",
    "site_unhealthy",
    "no_leader",
    "job_stuck",
    "sweep_failing",
    "credential_expiring",
    "rates_missing",
    "statement",
    "work_finished",
    "work_failed",
    "work_over_forecast",
    "work_reclaimed",
]


class _ChannelCreateBodyRequired(TypedDict):
    kind: Literal["slack", "teams"]
    name: str
    topics: List[ChannelCreateBodyEmailTopicsItem]
    team: Optional[str]
    url: str


class ChannelCreateBody(_ChannelCreateBodyRequired, total=False):
    pipeline: Optional[str]
    digest: Literal["immediate", "hourly", "daily"]


class _ChannelCreateBody2Required(TypedDict):
    kind: Literal["webhook", "cloudevents"]
    name: str
    topics: List[ChannelCreateBodyEmailTopicsItem]
    team: Optional[str]
    url: str


class ChannelCreateBody2(_ChannelCreateBody2Required, total=False):
    pipeline: Optional[str]
    digest: Literal["immediate", "hourly", "daily"]
    signingKey: str


class ChannelUpdateBody(TypedDict, total=False):
    name: str
    topics: List[ChannelCreateBodyEmailTopicsItem]
    team: Optional[str]
    pipeline: Optional[str]
    digest: Literal["immediate", "hourly", "daily"]
    enabled: bool
    recipients: List[str]
    url: str
    signingKey: str


class _RatesSetBodyRequired(TypedDict):
    message: str
    card: RatesSetBodyCard


class RatesSetBody(_RatesSetBodyRequired, total=False):
    effectiveFrom: str


class RatesSetBodyCard(TypedDict):
    assets: List[RatesSetBodyCardAssetsItem]
    power: RatesSetBodyCardPower
    perYear: RatesSetBodyCardPerYear


class _RatesSetBodyCardAssetsItemRequired(TypedDict):
    id: str
    name: str
    inServiceOn: str
    priceUsd: str
    lifeMonths: int
    method: Union[RatesSetBodyCardAssetsItemMethodStraightLine, RatesSetBodyCardAssetsItemMethodDecliningBalance]


class RatesSetBodyCardAssetsItem(_RatesSetBodyCardAssetsItemRequired, total=False):
    residualUsd: str
    embodiedKg: Optional[str]
    source: Optional[str]


class RatesSetBodyCardAssetsItemMethodStraightLine(TypedDict):
    kind: Literal["straight_line"]


class RatesSetBodyCardAssetsItemMethodDecliningBalance(TypedDict):
    kind: Literal["declining_balance"]
    ratePerYear: str


class _RatesSetBodyCardPowerRequired(TypedDict):
    busyWattsPerGpu: str
    idleWattsPerGpu: str
    pue: str
    electricityUsdPerKwh: str


class RatesSetBodyCardPower(_RatesSetBodyCardPowerRequired, total=False):
    electricityHours: List[RatesSetBodyCardPowerElectricityHoursItem]
    measured: RatesSetBodyCardPowerMeasured
    contractGramsPerKwh: Optional[str]


class _RatesSetBodyCardPowerElectricityHoursItemRequired(TypedDict):
    fromHour: int
    toHour: int
    usdPerKwh: str


class RatesSetBodyCardPowerElectricityHoursItem(_RatesSetBodyCardPowerElectricityHoursItemRequired, total=False):
    days: List[RateCardCardPowerElectricityHoursItemDaysItem]

_RatesSetBodyCardPowerMeasuredRequired = TypedDict(
    "_RatesSetBodyCardPowerMeasuredRequired",
    {
        "kwh": str,
        "from": str,
        "to": str,
    },
)

_RatesSetBodyCardPowerMeasuredOptional = TypedDict(
    "_RatesSetBodyCardPowerMeasuredOptional",
    {
    },
    total=False,
)


class RatesSetBodyCardPowerMeasured(_RatesSetBodyCardPowerMeasuredRequired, _RatesSetBodyCardPowerMeasuredOptional):
    pass


class RatesSetBodyCardPerYear(TypedDict):
    rackUsd: str
    networkUsd: str
    supportUsd: str
    staffUsd: str

_RatesSetMeasuredPowerBodyRequired = TypedDict(
    "_RatesSetMeasuredPowerBodyRequired",
    {
        "from": str,
        "to": str,
        "kwh": str,
        "message": str,
    },
)

_RatesSetMeasuredPowerBodyOptional = TypedDict(
    "_RatesSetMeasuredPowerBodyOptional",
    {
    },
    total=False,
)


class RatesSetMeasuredPowerBody(_RatesSetMeasuredPowerBodyRequired, _RatesSetMeasuredPowerBodyOptional):
    pass


class RatesSetElectricityPricesBody(TypedDict):
    text: str
    message: str


class RatesSetCommitmentsBody(TypedDict):
    items: List[RatesSetCommitmentsBodyItemsItem]

_RatesSetCommitmentsBodyItemsItemRequired = TypedDict(
    "_RatesSetCommitmentsBodyItemsItemRequired",
    {
        "id": str,
        "siteId": str,
        "kind": Literal["reservation", "commitment"],
        "region": Optional[str],
        "instanceType": str,
        "accelerator": str,
        "instances": int,
        "upfrontMicroUsd": str,
        "hourlyMicroUsd": str,
        "from": str,
        "to": str,
    },
)

_RatesSetCommitmentsBodyItemsItemOptional = TypedDict(
    "_RatesSetCommitmentsBodyItemsItemOptional",
    {
        "zone": Optional[str],
        "reservation": Optional[str],
    },
    total=False,
)


class RatesSetCommitmentsBodyItemsItem(_RatesSetCommitmentsBodyItemsItemRequired, _RatesSetCommitmentsBodyItemsItemOptional):
    pass


class RatesSetDiscountsBody(TypedDict):
    items: List[RatesSetDiscountsBodyItemsItem]

_RatesSetDiscountsBodyItemsItemRequired = TypedDict(
    "_RatesSetDiscountsBodyItemsItemRequired",
    {
        "id": str,
        "siteId": str,
        "capacityType": Literal["on_demand", "spot"],
        "percent": str,
        "from": str,
        "source": str,
    },
)

_RatesSetDiscountsBodyItemsItemOptional = TypedDict(
    "_RatesSetDiscountsBodyItemsItemOptional",
    {
        "instanceFamilies": List[str],
        "regions": List[str],
        "to": Optional[str],
    },
    total=False,
)


class RatesSetDiscountsBodyItemsItem(_RatesSetDiscountsBodyItemsItemRequired, _RatesSetDiscountsBodyItemsItemOptional):
    pass


class CurrencySetBody(TypedDict):
    currency: str


class _DataSetSetBodyRequired(TypedDict):
    items: List[DataSetSetBodyItemsItem]


class DataSetSetBody(_DataSetSetBodyRequired, total=False):
    stores: List[DataSetSetBodyStoresItem]


class _DataSetSetBodyItemsItemRequired(TypedDict):
    uri: str
    copies: List[DataSetSetBodyItemsItemCopiesItem]


class DataSetSetBodyItemsItem(_DataSetSetBodyItemsItemRequired, total=False):
    freshDays: int


class _DataSetSetBodyItemsItemCopiesItemRequired(TypedDict):
    # Region such as aws:eu-west-1, or an owned site.
    at: str
    # Address of the copy there.
    uri: str


class DataSetSetBodyItemsItemCopiesItem(_DataSetSetBodyItemsItemCopiesItemRequired, total=False):
    # The same copy as the scheduler reads it. With it, copies elsewhere are made from here,
    # and egress is charged.
    readUri: str


class _DataSetSetBodyStoresItemRequired(TypedDict):
    at: str
    uri: str


class DataSetSetBodyStoresItem(_DataSetSetBodyStoresItemRequired, total=False):
    writeUri: str
    usdPerGiBMonth: float
    share: bool


class _StoreAddBodyRequired(TypedDict):
    team: str
    name: str
    config: Union[StoreAddBodyConfigS3, StoreAddBodyConfigGcs, StoreAddBodyConfigAzblob, StoreAddBodyConfigWebdav, StoreAddBodyConfigFolder]


class StoreAddBody(_StoreAddBodyRequired, total=False):
    secret: Dict[str, str]
    isDefault: bool
    usdPerGiBMonth: float
    usdPerGiBEgress: float
    check: bool


class _StoreAddBodyConfigS3Required(TypedDict):
    kind: Literal["s3"]
    bucket: str


class StoreAddBodyConfigS3(_StoreAddBodyConfigS3Required, total=False):
    prefix: str
    place: str
    provider: StoreAddBodyConfigS3Provider
    region: str
    endpoint: str
    roleArn: str
    stsEndpoint: str

StoreAddBodyConfigS3Provider = Literal["AWS", "Minio", "Ceph", "Other"]


class _StoreAddBodyConfigGcsRequired(TypedDict):
    kind: Literal["gcs"]
    bucket: str


class StoreAddBodyConfigGcs(_StoreAddBodyConfigGcsRequired, total=False):
    prefix: str
    place: str
    endpoint: str
    stsEndpoint: str


class _StoreAddBodyConfigAzblobRequired(TypedDict):
    kind: Literal["azblob"]
    account: str
    container: str


class StoreAddBodyConfigAzblob(_StoreAddBodyConfigAzblobRequired, total=False):
    prefix: str
    place: str
    endpoint: str
    hierarchical: bool


class _StoreAddBodyConfigWebdavRequired(TypedDict):
    kind: Literal["webdav"]
    url: str


class StoreAddBodyConfigWebdav(_StoreAddBodyConfigWebdavRequired, total=False):
    prefix: str
    place: str
    vendor: Literal["other", "nextcloud", "owncloud"]


class _StoreAddBodyConfigFolderRequired(TypedDict):
    kind: Literal["folder"]
    path: str


class StoreAddBodyConfigFolder(_StoreAddBodyConfigFolderRequired, total=False):
    place: str


class StoreChangeBody(TypedDict):
    isDefault: bool


class StoreUpdateBody(TypedDict, total=False):
    config: Union[StoreAddBodyConfigS3, StoreAddBodyConfigGcs, StoreAddBodyConfigAzblob, StoreAddBodyConfigWebdav, StoreAddBodyConfigFolder]
    secret: Dict[str, str]


class StoreSetPriceBody(TypedDict):
    usdPerGiBMonth: Optional[str]
    usdPerGiBEgress: Optional[str]


class StoreLimitsBody(TypedDict):
    team: str
    quotaGiB: Optional[float]
    keepDays: Optional[int]


class StatementCloseBody(TypedDict, total=False):
    correction: str


class _StatementSignBodyRequired(TypedDict):
    sha256: str


class StatementSignBody(_StatementSignBodyRequired, total=False):
    team: str


class BillReconcileBody(TypedDict, total=False):
    final: bool


class SecretSetBody(TypedDict, total=False):
    value: str
    file: str
    vault: SecretSetBodyVault


class SecretSetBodyVault(TypedDict):
    path: str
    key: str


class _TokenCreateBodyRequired(TypedDict):
    name: str
    scopes: List[TokenCreateBodyScopesItem]
    expiresInDays: int


class TokenCreateBody(_TokenCreateBodyRequired, total=False):
    approvalAboveUsd: float
    accountId: str

TokenCreateBodyScopesItem = Literal["read", "jobs", "money", "policy", "sites", "accounts"]


class AccountUpdateBody(TypedDict, total=False):
    name: str
    role: str
    teams: List[str]


class _AccountCreateBodyRequired(TypedDict):
    email: str
    name: str
    role: str


class AccountCreateBody(_AccountCreateBodyRequired, total=False):
    teams: List[str]
    service: bool


class RoleCreateBody(TypedDict):
    name: str
    base: Literal["platform", "data_scientist", "finance"]
    permissions: List[RoleCreateBodyPermissionsItem]

RoleCreateBodyPermissionsItem = Literal[
    "job:read",
    "job:submit",
    "job:cancel",
    "artifact:read",
    "artifact:delete",
    "quote:ask",
    "capacity:read",
    "instance:read",
    "site:manage",
    "policy:read",
    "budget:read",
    "spend:read",
    "audit:read",
    "budget:change",
    "budget:approve",
    "rates:read",
    "rates:change",
    "bill:read",
    "bill:import",
    "charge:read",
    "statement:read",
    "statement:close",
    "statement:sign",
    "policy:edit",
    "policy:publish",
    "plan:read",
    "plan:run",
    "data:change",
    "store:manage",
    "policy:approve",
    "job:approve",
    "secret:read",
    "secret:manage",
    "token:manage",
    "notification:manage",
    "account:manage",
]


class RoleUpdateBody(TypedDict):
    permissions: List[RoleCreateBodyPermissionsItem]


class NotificationSetBody(TypedDict, total=False):
    events: List[NotificationsEventsItem]
    digestMinutes: int


class _TeamCreateBodyRequired(TypedDict):
    name: str


class TeamCreateBody(_TeamCreateBodyRequired, total=False):
    title: Optional[str]
    costCenter: Optional[str]
    parent: Optional[str]


class TeamUpdateBody(TypedDict, total=False):
    title: Optional[str]
    costCenter: Optional[str]
    parent: Optional[str]


class _GroupMappingSetBodyRequired(TypedDict):
    group: str


class GroupMappingSetBody(_GroupMappingSetBodyRequired, total=False):
    role: Optional[str]
    team: Optional[str]


class GroupMappingRemoveBody(TypedDict):
    group: str


class GroupMappingCheckBody(TypedDict):
    groups: List[str]


class SetupSkipBody(TypedDict):
    step: SetupSkipOutputStep


class _SetupPolicyBodyRequired(TypedDict):
    leave: SetupPolicyBodyLeave
    monthlyCapUsd: int
    burst: Literal["wait", "deadline", "full"]
    approver: Literal["none", "platform", "finance"]


class SetupPolicyBody(_SetupPolicyBodyRequired, total=False):
    regions: Literal["anywhere", "europe", "united_states"]
    waitMinutes: int
    approvalAboveUsd: int

SetupPolicyBodyLeave = Literal["nothing", "experiments", "not_sensitive", "everything"]


class _CompanyPlanBodyRequired(TypedDict):
    text: str


class CompanyPlanBody(_CompanyPlanBodyRequired, total=False):
    secrets: Dict[str, str]
    prune: bool


class _CompanyApplyBodyRequired(TypedDict):
    text: str
    hash: str


class CompanyApplyBody(_CompanyApplyBodyRequired, total=False):
    secrets: Dict[str, str]
    prune: bool
