import { renderToString } from "react-dom/server";
import { afterEach, expect, it, vi } from "vitest";
import { LiveStamp } from "#components/page/live-stamp.tsx";
import { useHour } from "#components/spend/use-spend.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { ClockProvider } from "./clock.tsx";
import { Deadline } from "./deadline.tsx";
import { Elapsed, Time } from "./relative-time.tsx";

const NOON_MS = Date.UTC(2026, 10, 23, 12);

const Hour = () => <i>{useHour()}</i>;

/** Components that depend on time. React renders them here as the browser must on its first render. */
function drawn(nowMs: number): string {
	const submittedMs = NOON_MS - HOUR_MS;
	return renderToString(
		<ClockProvider nowMs={nowMs}>
			<Time atMs={NOON_MS - 15_000} />
			<Time atMs={submittedMs} form="short" />
			<Elapsed sinceMs={submittedMs} precise />
			<Deadline deadlineMs={NOON_MS + 3 * HOUR_MS} submittedMs={submittedMs} remainingMs={HOUR_MS} workingSinceMs={submittedMs} />
			<LiveStamp status="live" />
			<Hour />
		</ClockProvider>,
	);
}

afterEach(() => {
	vi.useRealTimers();
	vi.unstubAllGlobals();
});

it.each<[string, number]>([
	["moves on by a minute and a half", 90_000],
	["passes the hour and the day", 12 * HOUR_MS + MINUTE_MS],
	["is wrong in the browser by three days", -72 * HOUR_MS],
])("hydrates with the server's output when the clock %s in between", (_, moved) => {
	vi.useFakeTimers({ now: NOON_MS });
	const server = drawn(NOON_MS);
	expect(server).toContain("15 s ago");
	expect(server).toContain(String(NOON_MS));
	vi.setSystemTime(NOON_MS + moved);
	vi.stubGlobal("window", {});
	expect(drawn(NOON_MS)).toBe(server);
});
