import { cn } from "#components/ui/cn.ts";

export type JobStateName = "held" | "queued" | "admitted" | "running" | "succeeded" | "failed" | "cancelled";
export type AttemptStateName =
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
export type InstanceStateName = "intended" | "requested" | "provisioning" | "ready" | "draining" | "terminating" | "terminated";
export type StateName = JobStateName | AttemptStateName | InstanceStateName;

type Shape = "dashed" | "paused" | "arriving" | "filling" | "leaving" | "tick" | "cross" | "bar" | "bolt" | "lost" | "empty";

/** States differ by shape, not only by color. */
const SHAPE: Record<StateName, Shape> = {
	queued: "dashed",
	intended: "dashed",
	held: "paused",
	admitted: "arriving",
	requested: "arriving",
	starting: "arriving",
	staging: "arriving",
	provisioning: "arriving",
	running: "filling",
	ready: "filling",
	stopping: "leaving",
	draining: "leaving",
	terminating: "leaving",
	succeeded: "tick",
	failed: "cross",
	cancelled: "bar",
	interrupted: "bolt",
	evicted: "bolt",
	lost: "lost",
	terminated: "empty",
};

const CIRCUMFERENCE = 15.08;

type GlyphProps = {
	state: StateName /** 0 to 1 for running jobs, drawn as a ring. Unknown is drawn as half. */;
	progress?: number | null;
	className?: string;
};

export function StateGlyph({ state, progress, className }: GlyphProps) {
	return (
		<svg viewBox="0 0 16 16" aria-hidden fill="none" strokeWidth="1.6" className={cn("mark-exact size-3.5 flex-none", className)}>
			<GlyphShape shape={SHAPE[state]} progress={state === "ready" ? 1 : (progress ?? 0.5)} />
		</svg>
	);
}

function GlyphShape({ shape, progress }: { shape: Shape; progress: number }) {
	switch (shape) {
		case "dashed":
			return <circle cx="8" cy="8" r="6" stroke="var(--ink-3)" strokeDasharray="2 1.77" />;
		case "paused":
			return (
				<g stroke="var(--warn)">
					<circle cx="8" cy="8" r="6" />
					<path d="M6.500 6v4M9.500 6v4" />
				</g>
			);
		case "arriving":
			return (
				<>
					<circle cx="8" cy="8" r="6" stroke="var(--accent)" strokeDasharray="2 1.77" />
					<circle cx="8" cy="8" r="2.6" fill="var(--accent)" />
				</>
			);
		case "filling":
			return (
				<g stroke="var(--accent)">
					<circle cx="8" cy="8" r="6" />
					<circle
						cx="8"
						cy="8"
						r="2.4"
						strokeWidth="4.8"
						strokeDasharray={`${(Math.min(1, Math.max(0.03, progress)) * CIRCUMFERENCE).toFixed(2)} 16`}
						transform="rotate(-90 8 8)"
					/>
				</g>
			);
		case "leaving":
			return (
				<g stroke="var(--ink-2)">
					<circle cx="8" cy="8" r="6" strokeDasharray="2 1.77" />
					<rect x="5.8" y="5.8" width="4.4" height="4.4" rx="0.6" fill="var(--ink-2)" stroke="none" />
				</g>
			);
		case "tick":
			return (
				<>
					<circle cx="8" cy="8" r="6.8" fill="var(--ok)" />
					<path d="m5.200 8.200 2 2 3.600-4" stroke="var(--panel)" />
				</>
			);
		case "cross":
			return (
				<>
					<circle cx="8" cy="8" r="6.8" fill="var(--risk)" />
					<path d="m5.800 5.800 4.400 4.400m0-4.400-4.400 4.400" stroke="var(--panel)" />
				</>
			);
		case "bar":
			return (
				<g stroke="var(--ink-3)">
					<circle cx="8" cy="8" r="6" />
					<path d="m4 12 8-8" />
				</g>
			);
		case "bolt":
			return (
				<>
					<circle cx="8" cy="8" r="6" stroke="var(--warn)" />
					<path d="M8.800 4 5.800 8.600h4.200L7.200 12" stroke="var(--warn)" strokeWidth="1.3" strokeLinejoin="round" />
				</>
			);
		case "lost":
			return (
				<g stroke="var(--risk)">
					<path d="M8 1.800 14.200 8 8 14.200 1.800 8z" />
					<path d="M8 5v3.700M8 10.300v.8" />
				</g>
			);
		case "empty":
			return <circle cx="8" cy="8" r="4" stroke="var(--ink-3)" strokeWidth="1.2" />;
	}
}

type StateMarkProps = GlyphProps & { /** Short reason after the state. */ note?: string | null };

/** State icon and label. */
export function StateMark({ state, progress, note, className }: StateMarkProps) {
	const percent = state === "running" && typeof progress === "number" ? `${Math.round(progress * 100)}% done` : undefined;
	return (
		<span title={percent} className={cn("inline-flex items-center gap-2 align-top whitespace-nowrap", className)}>
			<StateGlyph state={state} progress={progress ?? null} />
			{state}
			{note && <span className="text-ink-3">{note}</span>}
		</span>
	);
}
