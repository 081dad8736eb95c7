"use client";
import { Money } from "#components/money/money.tsx";
import { Place } from "#components/place/place.tsx";
import { shownPlace } from "#components/place/placement.ts";
import { useTime } from "#components/time/clock.tsx";
import { Time } from "#components/time/relative-time.tsx";
import type { Outputs } from "#components/trpc/outputs.ts";
import { ButtonLink } from "#components/ui/button.tsx";
import { MINUTE_MS } from "#server/kernel/units.ts";
import { RemovalText } from "../job-state/reason-text.tsx";
import { exclusionLink, startNow } from "./start-now.ts";

type Waiting = Outputs["job"]["waiting"];

/** Position in the queue, and the cheapest place that could start the job immediately. */
export function WaitingFacts({ position, considered }: Pick<Waiting, "position" | "considered">) {
	const nowMs = useTime((now) => Math.floor(now / MINUTE_MS) * MINUTE_MS);
	const now = considered && startNow(considered, nowMs);
	if (!position && !now) return null;
	const link = now && exclusionLink(now.removedBy);
	return (
		<dl className="flex flex-wrap gap-x-10 gap-y-2 px-4 pb-3.5 [&_dd]:text-md [&_dt]:text-xs [&_dt]:text-ink-3">
			{position && (
				<div title="Equal ranks are settled by deadline slack and fair share, so the position is a range.">
					<dt>Queue position</dt>
					<dd className="tabular font-strong">
						{position.from === position.to ? position.from : `${position.from}–${position.to}`}
						<span className="font-book text-ink-3"> of {position.of}</span>
					</dd>
				</div>
			)}
			{now && (
				<div>
					<dt>Could start now</dt>
					<dd className="flex flex-wrap items-baseline gap-x-2">
						<Place {...shownPlace(now.candidate.placement)} />
						<span>
							for <Money value={now.candidate.totalMicroUsd} kind="estimate" />
							<span className="text-ink-3">
								, done <Time atMs={now.candidate.finish.p50Ms} form="short" />
							</span>
						</span>
						{now.removedBy && (
							<span className="text-sm text-ink-2">
								<RemovalText removal={now.removedBy} />
							</span>
						)}
						{link && (
							<ButtonLink size="sm" href={link.href}>
								{link.label}
							</ButtonLink>
						)}
					</dd>
				</div>
			)}
		</dl>
	);
}
