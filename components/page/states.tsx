import type { ReactNode } from "react";
import { Button, ButtonLink } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { CopyId } from "#components/ui/copy-id.tsx";
import { Icon, type IconName } from "#components/ui/icon.tsx";

type FrameProps = {
	icon: IconName;
	tone?: "neutral" | "risk";
	title: ReactNode;
	children?: ReactNode;
	actions?: ReactNode;
	alert?: boolean;
	className?: string;
};

function StateFrame({ icon, tone = "neutral", title, children, actions, alert = false, className }: FrameProps) {
	return (
		<div
			role={alert ? "alert" : undefined}
			className={cn("grid content-start justify-items-center gap-1 px-6 py-9 text-center", className)}
		>
			<span
				className={cn(
					"mb-2 grid size-9 place-items-center rounded-full",
					tone === "risk" ? "bg-risk-soft text-risk-ink" : "bg-sunken text-ink-3",
				)}
			>
				<Icon name={icon} className="size-4.5" />
			</span>
			<h2 className="text-sm font-semibold">{title}</h2>
			{children && <div className="max-w-[46ch] text-pretty text-ink-2">{children}</div>}
			{actions && <div className="mt-3 flex flex-wrap items-center justify-center gap-2">{actions}</div>}
		</div>
	);
}

type EmptyStateProps = {
	icon?: IconName;
	title: ReactNode /** What will appear. */;
	children: ReactNode /** The first action. */;
	action?: { label: string; href: string };
	className?: string;
};

/** No data yet. */
export function EmptyState({ icon = "jobs", title, children, action, className }: EmptyStateProps) {
	return (
		<StateFrame
			icon={icon}
			title={title}
			{...(className ? { className } : {})}
			actions={
				action && (
					<ButtonLink variant="primary" href={action.href}>
						{action.label}
					</ButtonLink>
				)
			}
		>
			{children}
		</StateFrame>
	);
}

type NoResultsProps = { /** "jobs", "offers" */ what: string; clearHref?: string; onClear?: () => void; children?: ReactNode };

/** Filters exclude everything. */
export function NoResults({ what, clearHref, onClear, children }: NoResultsProps) {
	return (
		<StateFrame
			icon="filter"
			title={`No ${what} match these filters`}
			actions={
				<>
					{clearHref && <ButtonLink href={clearHref}>Clear filters</ButtonLink>}
					{onClear && <Button onClick={onClear}>Clear filters</Button>}
				</>
			}
		>
			{children}
		</StateFrame>
	);
}

type ErrorStateProps = {
	/** "Could not load jobs" */ title: ReactNode /** Cause and remedy from the error. */;
	detail?: ReactNode;
	requestId?: string | null;
	onRetry?: () => void;
	className?: string;
};

/** An error with its cause, a retry button and the request ID from the server log. */
export function ErrorState({ title, detail, requestId, onRetry, className }: ErrorStateProps) {
	return (
		<StateFrame
			icon="alert"
			tone="risk"
			alert
			title={title}
			{...(className ? { className } : {})}
			actions={
				<>
					{onRetry && (
						<Button icon="refresh" onClick={onRetry}>
							Try again
						</Button>
					)}
					{requestId && (
						<span className="text-xs text-ink-3">
							Request <CopyId value={requestId} />
						</span>
					)}
				</>
			}
		>
			{detail}
		</StateFrame>
	);
}

/** Access denied; names who has access. */
export function Forbidden({
	what,
	who,
	action,
	detail,
}: {
	/** "spend of other teams" */ what: ReactNode /** "finance and platform engineers" */;
	who: ReactNode;
	/** The server's message, which names the missing permission. */
	detail?: ReactNode;
	action?: { label: string; href: string };
}) {
	return (
		<StateFrame icon="lock" title="Access denied" actions={action && <ButtonLink href={action.href}>{action.label}</ButtonLink>}>
			Only {who} can see {what}. Ask your administrator for access.
			{detail && <p className="mt-1 text-xs text-ink-3">{detail}</p>}
		</StateFrame>
	);
}
