/** Simulates beside the page, which stays responsive. It is ended to cancel a simulation. */

import load from '#simulator';
import type { Asked, Told } from './simulator';

const loaded = load();
const tell = (told: Told) => self.postMessage(told);

self.addEventListener('message', async ({ data }: MessageEvent<Asked>) => {
  try {
    const module = await loaded;
    if (data.kind === 'read') {
      tell({ kind: 'read', scene: module.read(data.text), laws: module.laws(), scenes: module.scenes() });
      return;
    }
    if (data.kind === 'event') return tell({ kind: 'event', document: module.event(data.index) });
    if (data.kind === 'contacts') {
      const document = module.contacts(data.text, JSON.stringify({ sets: data.sets }));
      return tell({ kind: 'contacts', document, laws: module.laws(), scenes: module.many() });
    }
    const progress = (time: number, events: number) => tell({ kind: 'progress', time, events });
    const { summary, document } = module.simulate(data.text, JSON.stringify(data.choices), progress);
    tell({ kind: 'done', summary, document });
  } catch (problem) {
    tell({ kind: 'failed', message: problem instanceof Error ? problem.message : String(problem) });
  }
});
