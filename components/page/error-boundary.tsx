"use client";
import { Component, type ReactNode } from "react";
import { EmptyState, ErrorState, Forbidden } from "#components/page/states.tsx";
import { Panel } from "#components/ui/panel.tsx";

/** Description of a thrown error; see `describeError`. */
export type ErrorDescription =
	| { kind: "failed"; detail: string; requestId: string | null }
	| { kind: "forbidden"; detail: string; fix: string | null }
	| { kind: "not_found"; detail: string; fix: string | null };

/** Reads a tRPC client error by shape (`data.problem`, RFC 9457), so that the client is not imported. */
export function describeError(error: unknown): ErrorDescription {
	const data = fieldOf(error, "data");
	const problem = fieldOf(data, "problem");
	const text = (name: string): string | null => {
		const value = fieldOf(problem, name);
		return typeof value === "string" && value !== "" ? value : null;
	};
	const detail = text("detail") ?? byTheWay(error) ?? (error instanceof Error ? error.message : "The browser gave no reason.");
	const code = text("code") ?? String(fieldOf(data, "code") ?? "").toLowerCase();
	if (code === "forbidden" || code === "not_found") return { kind: code, detail, fix: text("fix") };
	return { kind: "failed", detail, requestId: text("requestId") };
}

/**
 * Describes failures without a Spillway response, independent of browser wording: `fetch` throws a TypeError if
 * unreachable, and an unreadable response such as a proxy's error page throws a SyntaxError.
 */
function byTheWay(error: unknown): string | null {
	const cause = fieldOf(error, "cause");
	if (fieldOf(error, "data")) return null;
	if (cause instanceof TypeError) return "The server is unreachable. Check your network, then try again.";
	if (!(cause instanceof SyntaxError)) return null;
	const status = fieldOf(fieldOf(fieldOf(error, "meta"), "response"), "status");
	const answer = typeof status === "number" ? `Unexpected response (status ${status})` : "Unexpected response";
	return `${answer}. Spillway may be starting, or a proxy cannot reach it. Try again in a moment.`;
}

function fieldOf(value: unknown, name: string): unknown {
	return typeof value === "object" && value !== null && name in value ? (value as Record<string, unknown>)[name] : undefined;
}

type BoundaryProps = {
	/** The object of "Could not load …": "jobs", "this chart". */
	what: string;
	/** Called before a retry; reset the query here (`useQueryErrorResetBoundary().reset`). */
	onRetry?: () => void;
	/** Wraps the error in a panel, for content without its own. */
	framed?: boolean;
	/** Shown instead of the error when there is no room and another panel shows it. */
	instead?: ReactNode;
	/** Stays above the error, such as filters that caused it. */
	above?: ReactNode;
	children: ReactNode;
};
type BoundaryState = { error: unknown; failed: boolean };

/** Error boundary of a panel: shows the error in place and keeps the rest of the page. */
export class PanelBoundary extends Component<BoundaryProps, BoundaryState> {
	override state: BoundaryState = { error: null, failed: false };

	static getDerivedStateFromError(error: unknown): BoundaryState {
		return { error, failed: true };
	}

	retry = () => {
		this.props.onRetry?.();
		this.setState({ error: null, failed: false });
	};

	override render(): ReactNode {
		if (!this.state.failed) return this.props.children;
		if (this.props.instead !== undefined) return this.props.instead;
		return (
			<>
				{this.props.above}
				{this.props.framed ? <Panel>{this.renderError()}</Panel> : this.renderError()}
			</>
		);
	}

	renderError(): ReactNode {
		const described = describeError(this.state.error);
		if (described.kind === "forbidden") return <Forbidden what={this.props.what} who="other roles" detail={described.detail} />;
		if (described.kind === "not_found") {
			return (
				<EmptyState icon="question" title="Not found">
					{described.detail}
				</EmptyState>
			);
		}
		return (
			<ErrorState
				title={`Could not load ${this.props.what}`}
				detail={described.detail}
				requestId={described.requestId}
				onRetry={this.retry}
			/>
		);
	}
}
