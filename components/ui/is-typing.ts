const NO_TEXT = /^(checkbox|radio|button|submit|range)$/;

/** True in fields that take text, where single letters are no shortcuts. */
export function isTyping(target: EventTarget | null): boolean {
	if (target instanceof HTMLInputElement) return !NO_TEXT.test(target.type);
	return target instanceof HTMLElement && (target.isContentEditable || /^(TEXTAREA|SELECT)$/.test(target.tagName));
}
