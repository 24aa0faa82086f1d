// The console: the page that the address names, and around it what every page has.
import { render } from 'preact';
import { Shell } from './pages/shell.tsx';
import { watchAddress } from './state/address.ts';
import { startClock } from './state/freshness.ts';
import { watchKeys } from './state/keys.ts';
import { watchVisibility } from './state/resource.ts';
import { watchScroll } from './state/scroll.ts';
import { watchToken } from './state/token.ts';
import { watchTraffic } from './state/traffic.ts';

watchToken();
watchAddress();
watchScroll();
watchVisibility();
watchKeys();
startClock();
watchTraffic();
const app = document.getElementById('app');
if (app) render(<Shell />, app);
