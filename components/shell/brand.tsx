export function BrandMark({ className = "size-5.5" }: { className?: string }) {
	return (
		<svg viewBox="0 0 22 22" fill="none" strokeLinecap="round" aria-hidden className={className}>
			<rect x="1" y="4" width="9" height="15" rx="2" fill="var(--owned)" />
			<path d="M10 4h3c5 0 2.500 9 8 9" stroke="var(--cloud)" strokeWidth="3" />
			<path d="M10 9h1.500c3.500 0 2 9 6.500 9" stroke="var(--spot)" strokeWidth="2.4" />
		</svg>
	);
}
